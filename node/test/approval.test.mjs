// Approval: the whole product of inputs, the same file as in Rust; and the guide's dispatcher, compiled and run.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { before, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { WorkingSet, decideApproval, effectiveToolName } from '../index.mjs'

const here = path.dirname(fileURLToPath(import.meta.url))
const checkout = path.join(here, '../..')
const { context: common, subject, axes, answers, points } = JSON.parse(
  readFileSync(path.join(checkout, 'tests/vectors/product/approval.json'), 'utf8'),
)

/** The letters of all points, by level, mode, call, kind and trust; each is a word for each pair of hints. */
function words() {
  const rows = new Map()
  for (const block of points) {
    for (const row of block.rows) {
      const [call, kind, trust, ...word] = row.trim().split(/\s+/)
      const key = [block.level, block.mode, call, kind, trust].join(' ')
      assert.ok(!rows.has(key), `${key} stands there twice`)
      assert.equal(word.length, axes.readOnlyHint.length * axes.destructiveHint.length, key)
      for (const letters of word) assert.equal(letters.length, axes.rule.length, key)
      rows.set(key, word)
    }
  }
  return rows
}

/** What a letter stands for, taken from a decision. */
function answerOf({ outcome, needApproval, basis, rulesApply, ruleId = null, hint, reason }) {
  assert.equal(needApproval, outcome !== 'allow')
  assert.ok(reason.length > 0)
  if (hint) assert.equal(hint.ruleValue, subject.fullToolName)
  return { outcome, basis, rulesApply, ruleId, hint: hint !== null }
}

function planned(plan) {
  const { kind, code, fullToolName, decision } = plan
  return kind === 'refuse' ? { kind, code, fullToolName, ...answerOf(decision) } : { kind, ...answerOf(decision) }
}

test('every point of the product is decided as the table says', () => {
  const rows = words()
  const pairs = axes.readOnlyHint.flatMap((readOnly) => axes.destructiveHint.map((destructive) => ({ ...readOnly.annotations, ...destructive.annotations })))
  const sets = axes.kind.map(({ document }) =>
    pairs.map((annotations) => WorkingSet.from({ ...document, tools: document.tools.map((tool) => ({ ...tool, annotations })) })),
  )
  let seen = 0
  for (const level of axes.level) {
    for (const mode of axes.mode) {
      for (const call of axes.call) {
        for (const [k, kind] of axes.kind.entries()) {
          for (const trust of axes.trust) {
            const key = [level, mode, call, kind, trust].map((value) => value.name).join(' ')
            const word = rows.get(key)
            assert.ok(word, `${key} is missing`)
            rows.delete(key)
            for (const [h, annotations] of pairs.entries()) {
              for (const [r, rule] of axes.rule.entries()) {
                const at = `${key} ${JSON.stringify(annotations)} ${rule.name}`
                const context = { ...common, ...level, ...mode, ...trust, ...rule }
                const plan = sets[k][h].planCall(call.argumentsJson, context)
                assert.deepEqual(planned(plan), answers[word[h][r]], at)
                seen += 1
                if (plan.kind === 'execute') {
                  const { server, tool, serverId, fullToolName, argumentsJson } = plan
                  assert.deepEqual({ server, tool, serverId, fullToolName, argumentsJson }, subject, at)
                }
                if (kind.name === 'plain' && call.name === 'restorable') {
                  const toolName = effectiveToolName('mcp_call', call.argumentsJson)
                  const request = { ...context, toolName, annotations, toolFingerprint: plan.decision.toolFingerprint }
                  assert.deepEqual(decideApproval(request), plan.decision, at)
                }
              }
            }
          }
        }
      }
    }
  }
  assert.deepEqual([rows.size, seen], [0, Object.values(axes).reduce((product, axis) => product * axis.length, 1)])
})

test('a call without a name asks at every level but FULL', () => {
  for (const block of points) {
    const value = (axis) => axes[axis].find(({ name }) => name === block[axis])
    const { kind, ...expected } = answers[block.unnamed]
    for (const rule of axes.rule) {
      const decision = decideApproval({ ...common, ...value('level'), ...value('mode'), ...rule, toolName: null, annotations: { readOnlyHint: true } })
      assert.deepEqual(answerOf(decision), expected, `${block.level} ${block.mode} ${rule.name}`)
    }
  }
})

test('stored rules are checked against a set', () => {
  const set = WorkingSet.from({ servers: [{ id: 1, name: 'fs' }], tools: [{ serverId: 1, serverName: 'fs', toolName: 'read_file', description: '', inputSchema: {} }] })
  const rule = { id: 'r', scope: 'USER', ruleType: 'MCP_TOOL', ruleValue: 'mcp__fs__read_fil', enabled: true }
  assert.deepEqual(set.lintRules([rule, { ...rule, ruleValue: 'mcp__fs__read_file' }], { locale: 'en' }), [
    {
      ruleId: 'r',
      ruleValue: 'mcp__fs__read_fil',
      code: 'unknown_tool',
      nearest: 'mcp__fs__read_file',
      message: 'the rule mcp__fs__read_fil: the server has no tool of that name; the nearest is mcp__fs__read_file',
    },
  ])
  assert.equal(set.lintRules([{ ...rule, ruleValue: 'mcp__fs__read_file' }], { denyTokens: ['mcp__fs__read_file'] })[0].code, 'denied')
  assert.throws(() => set.lintRules([{ id: 1.5 }]), { code: 'invalid_document' })
})

// The guide's TypeScript, in the order of the page, as one module: checked against the types, compiled, and run.
let guide
before(async () => {
  const page = readFileSync(path.join(checkout, 'docs/approval.md'), 'utf8')
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block)
  assert.equal(blocks.length, 2)
  // Inside the package, where its own name resolves to it.
  const directory = mkdtempSync(path.join(here, '.guide-'))
  try {
    writeFileSync(path.join(directory, 'guide.mts'), blocks.join('\n'))
    const tsc = createRequire(import.meta.url).resolve('typescript/package.json')
    const config = { extends: '../tsconfig.json', compilerOptions: { noEmit: false, noUnusedLocals: true }, files: ['guide.mts'] }
    writeFileSync(path.join(directory, 'tsconfig.json'), JSON.stringify(config))
    const compiler = [path.join(path.dirname(tsc), 'bin/tsc'), '--project', directory]
    const { status, stdout, stderr } = spawnSync(process.execPath, compiler, { encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
    guide = await import(pathToFileURL(path.join(directory, 'guide.mjs')))
  } finally {
    rmSync(directory, { recursive: true })
  }
})

/** A host that answers as told and writes down what it is asked. */
function host({ rules = [], user = 'no', model = null }) {
  const log = []
  return {
    log,
    rules,
    rulesFor: async (name) => (log.push(`rules ${name}`), rules),
    remember: async (rule) => void (log.push('remember'), rules.push({ id: rules.length + 1, ...rule })),
    askUser: async ({ alwaysLabel }) => (log.push(alwaysLabel ? 'user, may remember' : 'user'), user),
    askModel: async () => {
      log.push('model')
      if (!model) throw new Error('unavailable')
      return model
    },
    run: async (name, argumentsJson) => (log.push(`run ${name} ${argumentsJson}`), 'ran'),
  }
}

const session = { id: 's', mode: 'LOCAL', level: 'READ_WRITE', denyTokens: [], trustedServers: [1] }
const set = (description) =>
  WorkingSet.from({
    servers: [{ id: 1, name: 'fs' }],
    tools: [
      { serverId: 1, serverName: 'fs', toolName: 'read_file', description, inputSchema: {}, annotations: { readOnlyHint: true } },
      { serverId: 1, serverName: 'fs', toolName: 'write_file', description, inputSchema: {} },
    ],
  })
const read = '{"server":"fs","tool":"read_file","arguments":{"p":1}}'
const write = '{"server":"fs","tool":"write_file","arguments":{"p":1}}'
const ran = (tool) => `run mcp__fs__${tool} {"p":1}`
const asked = (name) => [`rules mcp__fs__${name}`, 'user, may remember']

test("the guide's dispatcher asks in the right order and only what it must", async () => {
  const cases = [
    ['READ_ONLY', read, {}, [ran('read_file')]],
    ['READ_ONLY', write, {}, ['user']],
    ['READ_WRITE', read, {}, [ran('read_file')]],
    ['READ_WRITE', write, {}, asked('write_file')],
    ['READ_WRITE', write, { user: 'once' }, [...asked('write_file'), ran('write_file')]],
    ['SMART', read, { user: 'once' }, [...asked('read_file'), ran('read_file')]],
    ['PROXY', write, { model: { allow: true, text: '' } }, ['rules mcp__fs__write_file', 'model', ran('write_file')]],
    ['PROXY', write, { model: { allow: false, text: 'no' } }, ['rules mcp__fs__write_file', 'model']],
    ['PROXY', write, { user: 'no' }, ['rules mcp__fs__write_file', 'model', 'user, may remember']],
    ['FULL', write, {}, [ran('write_file')]],
    ['FULL', '{"server":"fs"', {}, []],
    [null, write, {}, ['user']],
  ]
  for (const [level, text, answers, expected] of cases) {
    const asking = host(answers)
    const result = await guide.dispatch(set(''), text, { ...session, level }, asking)
    assert.deepEqual(asking.log, expected, `${level} ${text}`)
    assert.equal(result === 'ran', expected.at(-1)?.startsWith('run') ?? false)
    if (result !== 'ran') assert.ok(JSON.parse(result).error)
  }
})

test('what the guide stores for "always allow" allows the tool until its definition changes', async () => {
  const asking = host({ user: 'always' })
  await guide.dispatch(set('v1'), write, session, asking)
  assert.deepEqual(asking.log.splice(0), [...asked('write_file'), 'remember', ran('write_file')])
  await guide.dispatch(set('v1'), write, session, asking)
  assert.deepEqual(asking.log.splice(0), ['rules mcp__fs__write_file', ran('write_file')])
  const elsewhere = host({ rules: asking.rules })
  await guide.dispatch(set('v1'), write, { ...session, id: 'another' }, elsewhere)
  assert.deepEqual(elsewhere.log, asked('write_file'), 'it was remembered for one session')
  await guide.dispatch(set('v2'), write, session, asking)
  assert.deepEqual(asking.log.slice(0, 2), asked('write_file'))
})

test("the guide's own dispatcher decides on the effective name", async () => {
  const entry = { source: 'mcp', serverId: 1, annotations: { readOnlyHint: true } }
  const approve = async (name, text, entries, level, answers = {}) => {
    const asking = host(answers)
    const refusal = await guide.approve(name, text, new Map(entries), { ...session, level }, asking)
    return [refusal === null, asking.log]
  }
  const one = [['mcp__fs__read_file', [entry]]]
  assert.deepEqual(await approve('mcp__fs__read_file', '{}', one, 'READ_WRITE'), [true, []])
  assert.deepEqual(await approve('mcp_call', read, one, 'READ_WRITE'), [true, []])
  assert.deepEqual(await approve('mcp_call', '{"server":"fs"', one, 'FULL'), [false, []])
  assert.deepEqual(await approve('mcp__fs__read_file', '{}', [['mcp__fs__read_file', [{ ...entry, serverId: 2 }]]], 'READ_ONLY'), [false, ['user']])
  const shared = [['mcp__a__b__c', [entry, { ...entry, serverId: 2 }]]]
  assert.deepEqual(await approve('mcp__a__b__c', '{}', shared, 'READ_WRITE'), [false, ['user']])
  assert.deepEqual(await approve('mcp__fs__read_file', '{}', one, 'SMART', { user: 'once' }), [true, asked('read_file')])
})

const reading = '{"server":"s","tool":"r"}'
const writing = '{"server":"s","tool":"w"}'
const local = { executionMode: 'LOCAL', permissionLevel: 'READ_WRITE' }
const small = () =>
  WorkingSet.from({
    servers: [{ id: 1, name: 's' }],
    tools: [
      { serverId: 1, serverName: 's', toolName: 'r', description: '', inputSchema: {}, annotations: { readOnlyHint: true } },
      { serverId: 1, serverName: 's', toolName: 'w', description: '', inputSchema: {} },
    ],
  })

/** What an attempt comes to: its outcome, or the code of its error. */
function outcome(run) {
  try {
    return run().outcome
  } catch (error) {
    return error.code
  }
}

test('a context is read once: what it says is what is decided and remembered', () => {
  for (const twoFaced of [
    { ...local, permissionLevel: 'READ_ONLY', toJSON: () => ({ ...local, permissionLevel: 'FULL' }) },
    {
      executionMode: 'LOCAL',
      asked: 0,
      get permissionLevel() {
        return this.asked++ === 0 ? 'READ_ONLY' : 'FULL'
      },
    },
  ]) {
    const set = small()
    assert.equal(set.planCall(writing, twoFaced).decision.outcome, 'ask_user')
    assert.equal(set.planCall(writing, { ...local, permissionLevel: 'READ_ONLY' }).decision.outcome, 'ask_user')
  }
})

test('nothing that JSON would leave out makes a decision milder', () => {
  const set = small()
  const lost = [NaN, Infinity, () => false, Symbol('none'), 10n]
  const inherited = (said, own) => Object.assign(Object.create(said), own)
  class Host {
    get trust() {
      return 'none'
    }
    get trusted() {
      return false
    }
    get denyTokens() {
      return ['mcp__s__w']
    }
  }
  const rule = { id: 1, scope: 'USER', ruleType: 'MCP_TOOL', ruleValue: 'mcp__s__w', enabled: true }
  const request = { ...local, toolName: 'mcp__s__r', annotations: { readOnlyHint: true } }
  const plan = (call, context) => outcome(() => set.planCall(call, context).decision)
  assert.equal(plan(reading, local), 'allow')
  assert.equal(plan(writing, { ...local, rules: [rule] }), 'allow')
  assert.equal(outcome(() => decideApproval(request)), 'allow')
  for (const value of lost) {
    assert.equal(plan(reading, { ...local, trust: value }), 'invalid_argument')
    assert.equal(plan(writing, { ...local, rules: [rule], denyTokens: value }), 'invalid_argument')
    assert.equal(plan(writing, { ...local, rules: [{ ...rule, toolFingerprint: value }] }), 'invalid_argument')
    assert.equal(plan(writing, { ...local, matchedRule: { ruleId: 1, ruleValue: 'mcp__s__w', toolFingerprint: value } }), 'invalid_argument')
    assert.equal(outcome(() => decideApproval({ ...request, trusted: value })), 'invalid_argument')
    assert.equal(outcome(() => decideApproval({ ...request, annotations: { readOnlyHint: true, destructiveHint: value } })), 'invalid_argument')
  }
  for (const mistrust of [inherited({ trust: 'none', trusted: false }), new Host(), Object.defineProperties({}, { trust: { value: 'none' }, trusted: { value: false } })]) {
    assert.equal(plan(reading, Object.assign(mistrust, local)), 'ask_user')
    assert.equal(outcome(() => decideApproval(Object.assign(mistrust, request))), 'ask_user')
  }
  assert.equal(plan(writing, Object.assign(new Host(), local, { rules: [rule] })), 'ask_user')
  const disabled = inherited({ enabled: false }, { ...rule, enabled: undefined })
  delete disabled.enabled
  assert.equal(plan(writing, { ...local, rules: [disabled] }), 'ask_user')
  assert.equal(plan(writing, { ...local, matchedRule: { ruleId: 1, ruleValue: 'mcp__s__w', enabled: false } }), 'ask_user')
})
