// The API name by name, in both module systems; what the texts say is for the vectors.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import * as esm from '../index.mjs'

const cjs = createRequire(import.meta.url)('../index.js')
const { WorkingSet } = esm

const input = {
  servers: [{ id: 1, name: 'fs', description: 'Files' }],
  tools: [
    {
      serverId: 1,
      serverName: 'fs',
      toolName: 'read_file',
      description: 'Reads a file',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      annotations: { readOnlyHint: true },
    },
  ],
  connectionErrors: [{ serverId: null, serverName: 'down', reason: 'refused' }],
}
const call = '{"server":"fs","tool":"read_file","arguments":{"path":"/a"}}'

/** What a call throws. */
function thrown(run) {
  try {
    run()
  } catch (error) {
    return error
  }
  assert.fail('nothing was thrown')
}

test('both module systems have the same objects', () => {
  assert.deepEqual(Object.keys(esm).sort(), Object.keys(cjs).sort())
  for (const name of Object.keys(esm)) assert.equal(esm[name], cjs[name], name)
})

test('a set is the same from text, bytes and objects', () => {
  const text = JSON.stringify(input)
  const sets = [WorkingSet.fromJson(text), WorkingSet.fromJson(new TextEncoder().encode(text)), WorkingSet.fromJson(Buffer.from(text)), WorkingSet.from(input)]
  for (const set of sets) {
    assert.equal(set.fingerprint, sets[0].fingerprint)
    assert.deepEqual(set.section('en'), sets[0].section('en'))
    assert.deepEqual([set.isEmpty, set.serverCount, set.toolCount, set.warnings], [false, 2, 1, []])
  }
  assert.match(sets[0].fingerprint, /^[0-9a-f]{64}$/)
})

test('what a set answers is kept and frozen', () => {
  const set = WorkingSet.from(input)
  for (const ask of [() => set.section(), () => set.section('en'), () => set.servers(), () => set.warnings, () => set.toolDefinitions(), () => set.fullToolDefinitions()]) {
    assert.equal(ask(), ask())
    assert.ok(Object.isFrozen(ask()))
  }
  assert.throws(() => set.servers()[0].tools.push('x'), TypeError)
  assert.throws(() => (set.toolDefinitions()[0].inputSchema.type = 'x'), TypeError)
})

test('the empty set yields nothing at all', () => {
  const set = WorkingSet.from({ servers: [], tools: [] })
  assert.deepEqual(
    [set.isEmpty, set.section(), set.toolDefinitions(), set.fullToolDefinitions(), set.servers()],
    [true, null, [], [], []],
  )
})

test('definitions go by mode', () => {
  const set = WorkingSet.from(input)
  assert.deepEqual(set.toolDefinitions('en').map(({ name }) => name), ['mcp_call', 'mcp_describe'])
  assert.deepEqual(set.toolDefinitions('en', 'FULL'), [])
  assert.deepEqual(set.fullToolDefinitions().map(({ name }) => name), ['mcp__fs__read_file'])
})

test('a plan has the documented shape', () => {
  const set = WorkingSet.from(input)
  const plan = set.planCall(call, { executionMode: 'LOCAL', permissionLevel: 'READ_WRITE', locale: 'en' })
  assert.equal(plan.decision.toolFingerprint, set.servers()[1].tools[0].fingerprint)
  const { checked, ...rest } = plan
  assert.deepEqual(rest, {
    kind: 'execute',
    route: 'LOCAL',
    server: 'fs',
    tool: 'read_file',
    serverId: 1,
    toolName: 'mcp__fs__read_file',
    fullToolName: 'mcp__fs__read_file',
    argumentsJson: '{"path":"/a"}',
    decision: {
      outcome: 'allow',
      needApproval: false,
      basis: 'annotation',
      reason: plan.decision.reason,
      rulesApply: false,
      hint: null,
      toolFingerprint: plan.decision.toolFingerprint,
    },
    repairs: [],
  })
  const refused = set.planCall('{"server":"down","tool":"x"}', { executionMode: 'CLOUD' })
  assert.deepEqual([refused.kind, refused.code, refused.fullToolName], ['refuse', 'server_unavailable', 'mcp__down__x'])
})

test('mistakes of the host are errors with a code, and a place where there is one', () => {
  const set = WorkingSet.from(input)
  const cases = [
    [() => WorkingSet.fromJson('{'), 'invalid_json'],
    [() => WorkingSet.fromJson('[]'), 'invalid_document'],
    [() => WorkingSet.fromJson(new Uint8Array([0x7b, 0xff])), 'invalid_utf8'],
    [() => WorkingSet.fromJson(5), 'invalid_argument'],
    [() => WorkingSet.from(null), 'invalid_argument'],
    [() => new WorkingSet(), 'invalid_argument'],
    [() => set.section('fr'), 'invalid_locale'],
    [() => set.toolDefinitions('en', 'HALF'), 'invalid_load_mode'],
    [() => set.describe(7), 'invalid_argument'],
    [() => set.planCall(call, { executionMode: 'EDGE' }), 'invalid_execution_mode'],
    [() => set.planCall(call, {}), 'invalid_document'],
    [() => set.planCall(call, { executionMode: 'LOCAL', trust: 'some' }), 'invalid_argument'],
    [() => set.planCall(call), 'invalid_argument'],
    [() => set.planCall(undefined, { executionMode: 'LOCAL' }), 'invalid_argument'],
    [() => esm.decideApproval({ toolName: 'x' }), 'invalid_document'],
    [() => esm.parseLoadMode('working_set'), 'invalid_load_mode'],
    [() => esm.parseLoadMode(null), 'invalid_load_mode'],
    [() => esm.parseLoadMode(10n), 'invalid_load_mode'],
    [() => esm.matchRules([{ id: 1.5 }], { fullToolName: 'x' }), 'invalid_document'],
    [() => esm.parseLocalReport('{"servers":{}}'), 'invalid_document'],
    [() => esm.cloudConnectResult([], {}), 'invalid_document'],
    [() => esm.summarize(5), 'invalid_argument'],
    [() => set.describe(call, 'en', 'compact'), 'invalid_argument'],
    [() => set.lintRules([], 5), 'invalid_argument'],
    [() => set.lintRules(null), 'invalid_document'],
    [() => esm.callPreview('{}', 5), 'invalid_argument'],
    [() => esm.callPreview('{}', { maxLines: '5' }), 'invalid_argument'],
    [() => esm.callPreview('{}', { maxWidth: -1 }), 'invalid_argument'],
    [() => esm.normalizeInputSchema({ a: 1n }), 'invalid_argument'],
    [() => esm.resolveLoadMode(5), 'invalid_argument'],
    [() => esm.fullToolName('a\ud800', 'b'), 'invalid_argument'],
  ]
  assert.equal(set.describe(call, 'en', null), set.describe(call, 'en'))
  assert.equal(esm.callPreview('{}', null).text, esm.callPreview('{}').text)
  assert.equal(esm.resolveLoadMode(null).mode, 'WORKING_SET')
  for (const locale of ['undefined', 'null']) {
    set.section()
    set.toolDefinitions()
    assert.equal(thrown(() => set.section(locale)).code, 'invalid_locale')
    assert.equal(thrown(() => set.toolDefinitions(locale)).code, 'invalid_locale')
  }
  for (const [run, code] of cases) {
    const error = thrown(run)
    assert.ok(error instanceof Error)
    assert.equal(error.code, code, `${run}: ${error.message}`)
    assert.doesNotMatch(error.message, /[{\n]"/, 'a sentence, not JSON')
  }
  const { place } = thrown(() => WorkingSet.fromJson('{"servers":[],\n"tools":[{"toolName":5}]}'))
  assert.deepEqual([place.path, place.line], ['tools[0].toolName', 2])
})

test('schemas', () => {
  const set = WorkingSet.from(input)
  assert.equal(JSON.parse(set.describe('{"server":"fs","tool":"read_file"}', 'en', { compact: true })).schema, 'read_file(path*: string)')
  const refused = set.planCall('{"server":"fs","tool":"read_file","arguments":{"filePath":1}}', { executionMode: 'CLOUD' })
  assert.equal(JSON.parse(refused.resultJson).violations[0].suggestion, 'filePath → path')
  const context = { executionMode: 'CLOUD', validate: false }
  assert.equal(set.planCall('{"server":"fs","tool":"read_file","arguments":{"filePath":1}}', context).checked, false)
  assert.deepEqual(esm.normalizeInputSchema(null), { type: 'object', properties: {} })
  assert.equal(esm.validateArguments({ $ref: 'http://example.org/' }, {}).unchecked, 'remote_reference')
  assert.equal(esm.validateArguments(input.tools[0].inputSchema, '{"path":"/a"}').violations.length, 0)
})

test('a plan is the same by the short way and by the long one', () => {
  const set = WorkingSet.from(input)
  const texts = [
    call,
    '{"arguments":{"path":"\u{1F600} é"},"server":"fs","tool":"read_file"}',
    ' {"server":"fs","tool":"read_file","arguments":{ "path" : "x" } } ',
    '{"server":"fs","tool":"read_file"}',
    '{"server":"FS","tool":"read_file","arguments":{"path":"a"}}',
    '{"server":"fs","tool":"read_file","arguments":{"path":"\\ud800"}}',
    '{"server":"fs","tool":"read_file","arguments":"{\\"path\\":\\"a\\"}"}',
    '{"server":"down","tool":"x"}',
    '{',
  ]
  for (const executionMode of ['LOCAL', 'CLOUD'])
    for (const permissionLevel of [undefined, null, 'READ_ONLY', 'READ_WRITE', 'SMART', 'PROXY', 'FULL', 'full'])
      for (const locale of [undefined, 'en'])
        for (const validate of [undefined, true, false])
          for (const text of texts) {
            const context = { executionMode, permissionLevel, locale, validate }
            // A session id changes nothing here, but takes the long way.
            const long = set.planCall(text, { ...context, sessionId: 's' })
            assert.deepEqual(set.planCall(text, context), long, text)
            assert.deepEqual(set.planCall(text, context), long, 'again')
          }
  assert.throws(() => set.planCall(call, { executionMode: 'LOCAL', locale: 'fr' }), { code: 'invalid_locale' })
  assert.throws(() => set.planCall(call, { executionMode: 'LOCAL', validate: 'yes' }), { code: 'invalid_document' })
})

test('names', () => {
  assert.equal(esm.restoreFullToolName(call), 'mcp__fs__read_file')
  assert.equal(esm.restoreFullToolName('{"server"'), null)
  assert.equal(esm.effectiveToolName('shell', '{'), 'shell')
  assert.equal(esm.effectiveToolName('mcp_call', '{'), null)
  assert.equal(esm.fullToolName('a', 'b'), 'mcp__a__b')
  assert.deepEqual(esm.parseFullToolName('mcp__a__b__c'), { server: 'a', tool: 'b__c' })
  assert.equal(esm.parseFullToolName('mcp__a'), null)
})

test('what people see', () => {
  assert.equal(esm.summarize('mcp_call', call, '{"error":"x"}', 'en'), 'Call MCP tool fs.read_file (error)')
  assert.equal(esm.summarize('shell', '{}', null), null)
  assert.equal(esm.summarize(null), null)
  assert.equal(esm.toolDisplayName('mcp__fs__read_file'), 'fs.read_file')
  assert.equal(esm.toolInputPreview('mcp_call', { server: 'fs', tool: 'x' }), 'fs.x')
  assert.equal(esm.toolInputPreview('mcp_call', null), '')
  assert.deepEqual(esm.callPreview(call, { locale: 'en' }), { title: 'fs.read_file', lines: ['path: /a'], omitted: 0 })
})

test('a streamed call, cut at every UTF-16 unit', () => {
  const text = '{"server":"\u{1F600}","tool":"t\u{1F600}","arguments":{"server":"other"}}'
  for (let at = 0; at <= text.length; at++) {
    const preview = new esm.CallPreview('mcp_call')
    preview.push(text.slice(0, at))
    assert.equal(preview.preview(), esm.toolInputPreview('mcp_call', text.slice(0, at)))
    preview.push(text.slice(at))
    assert.deepEqual([preview.server, preview.tool], ['\u{1F600}', 't\u{1F600}'], `cut at ${at}`)
    assert.equal(preview.summary('en'), 'Call MCP tool \u{1F600}.t\u{1F600}')
  }
})

test('a string that is no Unicode text is the JSON that JSON.stringify writes for it', () => {
  const set = WorkingSet.from(input)
  const context = { executionMode: 'CLOUD', permissionLevel: 'FULL', validate: false }
  const text = '{"server":"fs","tool":"read_file","arguments":{"path":"\ud800"}}'
  for (const more of [{}, { sessionId: 'x' }]) {
    assert.equal(set.planCall(text, { ...context, ...more }).argumentsJson, '{"path":"\\ud800"}')
    assert.equal(set.planCall('{"server":"fs\udfff","tool":"read_file"}', { ...context, ...more }).code, 'invalid_arguments')
    // A backslash and half a pair is no escape and no JSON, a backslash that is one leaves the half alone.
    const path = (inside) => set.planCall(`{"server":"fs","tool":"read_file","arguments":{"path":"${inside}"}}`, { ...context, ...more })
    assert.equal(path('\\\ud800').code, 'invalid_json')
    assert.equal(path('\\\\\ud800').argumentsJson, '{"path":"\\\\\\ud800"}')
    assert.equal(path('中\\n😀\ud800').argumentsJson, '{"path":"中\\n😀\\ud800"}')
  }
  const odd = { servers: [{ id: 1, name: 'a\ud800' }], tools: [] }
  const raw = '{"servers":[{"id":1,"name":"a\ud800"}],"tools":[]}'
  assert.deepEqual(WorkingSet.fromJson(raw).warnings, WorkingSet.from(odd).warnings)
  assert.equal(WorkingSet.fromJson(raw).serverCount, 0)
  assert.deepEqual([esm.parseFullToolName('mcp__a\ud800__b'), esm.effectiveToolName('mcp__a\ud800__b', '{}')], [null, null])
  assert.equal(esm.restoreFullToolName('{"server":"a\ud800","tool":"b"}'), null)
  const report = '{"servers":[{"name":"中\ud800","tools":[]}]}'
  assert.deepEqual(esm.parseLocalReport(report, [{ id: 1, name: 'a' }]), esm.parseLocalReport({ servers: [{ name: '中\ud800', tools: [] }] }, [{ id: 1, name: 'a' }]))
})

test('text of every mixture of widths comes out as it went in', () => {
  const set = WorkingSet.from(input)
  for (const context of [{ executionMode: 'CLOUD', validate: false }, { executionMode: 'CLOUD', validate: false, sessionId: 'the long way' }]) {
    for (let before = 0; before < 20; before++) {
      for (const rest of ['', 'é', '中', '😀', 'é中😀', '😀😀😀😀', '中a😀b'.repeat(before), 'é'.repeat(200) + '😀']) {
        const argumentsJson = JSON.stringify({ path: 'a'.repeat(before) + rest })
        const planned = set.planCall(`{"server":"fs","tool":"read_file","arguments":${argumentsJson}}`, context)
        assert.equal(planned.argumentsJson, argumentsJson)
      }
    }
  }
})

test('rules, load mode, reports, tokens', () => {
  const rule = { id: 'r', scope: 'USER', ruleType: 'MCP_TOOL', ruleValue: 'mcp__a__b', enabled: true, note: 'kept' }
  assert.deepEqual(esm.matchRules([rule], { fullToolName: 'mcp__a__b' }).rule, rule)
  assert.equal(esm.resolveLoadMode({ global: ' full ' }).mode, 'FULL')
  assert.equal(esm.parseLoadMode('FULL'), 'FULL')
  const report = esm.parseLocalReport({ servers: [{ name: 'a', tools: [{ name: 'x', schema: { type: 'object' } }] }] }, [{ id: 9, name: 'gone' }])
  assert.deepEqual([report.tools[0].toolName, report.connectionErrors[0].kind], ['x', 'not_reported'])
  assert.equal(WorkingSet.from({ servers: [{ id: 0, name: 'a' }], ...report }).toolCount, 1)
  const cloud = esm.cloudConnectResult([{ id: 1, name: 'a' }, { id: 2, name: 'b' }], [{ serverId: 1, status: 'failed', reason: 'r' }, { serverId: 2, status: 'cancelled' }])
  assert.deepEqual([cloud.failedServers.map((s) => s.serverName), cloud.cancelledServers.map((s) => s.serverName)], [['a'], ['b']])
  assert.equal(esm.estimateTokens('12345'), 2)
  assert.deepEqual([esm.SECTION_KEY, esm.SECTION_LABEL, esm.MCP_CALL, esm.MCP_DESCRIBE], ['mcp-workingset', 'MCP 工作集', 'mcp_call', 'mcp_describe'])
  assert.equal(esm.version, cjs.version)
})

test('a worker thread has a library of its own', async () => {
  const source = `
    const { parentPort, workerData } = require('node:worker_threads')
    const { WorkingSet } = require(workerData.path)
    const set = WorkingSet.from(workerData.input)
    parentPort.postMessage([set.fingerprint, set.planCall(workerData.call, { executionMode: 'LOCAL' }).kind].join())`
  const path = createRequire(import.meta.url).resolve('../index.js')
  const workerData = { path, input, call }
  const answers = await Promise.all(
    [1, 2, 3].map(() => new Promise((resolve, reject) => new Worker(source, { eval: true, workerData }).once('message', resolve).once('error', reject))),
  )
  assert.deepEqual(new Set(answers), new Set([`${WorkingSet.from(input).fingerprint},execute`]))
})

test('sets are collected without being asked to', async () => {
  const tools = Array.from({ length: 500 }, (_, n) => ({ ...input.tools[0], toolName: `t${n}`, description: 'x'.repeat(2000) }))
  const document = Buffer.from(JSON.stringify({ ...input, tools }))
  const call = '{"server":"fs","tool":"t7","arguments":{"path":"/a"}}'
  const build = async (times) => {
    for (let n = 0; n < times; n++) {
      const set = WorkingSet.fromJson(document)
      assert.equal(set.section() && set.planCall(call, { executionMode: 'LOCAL' }).kind, 'execute')
      // Node runs finalizers between turns of the event loop.
      await new Promise(setImmediate)
    }
    return process.memoryUsage().rss
  }
  const before = await build(100)
  // 400 sets of more than 1 MB each: V8 is told of what they hold, so it collects them as they come.
  assert.ok((await build(400)) - before < 200e6)
})
