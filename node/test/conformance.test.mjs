// The vectors of tests/vectors, through the package; the format is described in README.md there. Rust runs the same
// files: tests/conformance.rs.

import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import * as api from '../index.mjs'

const { WorkingSet } = api
const folder = new URL('../../tests/vectors/', import.meta.url)
const read = (name) => readFileSync(new URL(name, folder), 'utf8')
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.json') && name !== 'schema.json')
  .sort()
  .map((name) => ({ name: name.slice(0, -'.json'.length), ...JSON.parse(read(name)) }))

/** The bytes of a string, `$concat`, `$repeat` or `$hex`; nothing for every other value. */
function generated(value) {
  if (typeof value === 'string') return Buffer.from(value)
  if (value === null || typeof value !== 'object') return undefined
  if (value.$concat) return Buffer.concat(value.$concat.map(generated))
  if (value.$repeat) return Buffer.concat(Array(value.$repeat.times).fill(generated(value.$repeat.text)))
  if (value.$hex) return Buffer.from(value.$hex, 'hex')
  return undefined
}

/** The value with every generated text in it written out. */
function writtenOut(value) {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(writtenOut)
  const bytes = generated(value)
  if (bytes) return bytes.toString()
  // A null prototype: `__proto__` is a key like any other here.
  return Object.assign(Object.create(null), Object.fromEntries(Object.entries(value).map(([k, v]) => [k, writtenOut(v)])))
}

/** The arguments of an operation: bytes where they may be anything, named documents looked up, texts written out. */
function inputOf(input, documents) {
  const { documentText, reportText, document, inputs, ...rest } = input
  return {
    ...writtenOut(rest),
    ...(document !== undefined && { document: writtenOut(typeof document === 'string' ? documents[document] : document) }),
    ...(documentText !== undefined && { documentText: generated(documentText) }),
    ...(reportText !== undefined && { reportText: generated(reportText) }),
    ...(inputs && { inputs: inputs.map((each) => inputOf(each, documents)) }),
  }
}

/** A set, built each way the API offers; all of them must come to the same. */
function setOf({ document, documentText }) {
  const bytes = documentText ?? Buffer.from(JSON.stringify(document))
  const set = WorkingSet.fromJson(bytes)
  if (documentText === undefined) {
    for (const other of [WorkingSet.fromJson(bytes.toString()), WorkingSet.from(document)]) {
      assert.equal(other.fingerprint, set.fingerprint)
    }
  }
  return set
}

/** The operations, by their names in the API, on their arguments by theirs. */
const operations = {
  section: (given) => setOf(given).section(given.locale),
  toolDefinitions: (given) => setOf(given).toolDefinitions(given.locale, given.mode),
  fullToolDefinitions: (given) => setOf(given).fullToolDefinitions(),
  describe: (given) => setOf(given).describe(given.argumentsJson, given.locale),
  planCall: (given) => setOf(given).planCall(given.argumentsJson, given.context),
  servers: (given) => setOf(given).servers(),
  warnings: (given) => setOf(given).warnings,
  schemaWarnings: (given) => setOf(given).schemaWarnings(),
  fingerprint: (given) => setOf(given).fingerprint,
  counts: (given) => {
    const { isEmpty, serverCount, toolCount } = setOf(given)
    return { isEmpty, serverCount, toolCount }
  },
  lintRules: (given) => setOf(given).lintRules(given.rules, given),
  restoreFullToolName: ({ argumentsJson }) => api.restoreFullToolName(argumentsJson),
  effectiveToolName: ({ toolName, argumentsJson }) => api.effectiveToolName(toolName, argumentsJson),
  fullToolName: ({ server, tool }) => api.fullToolName(server, tool),
  parseFullToolName: ({ name }) => api.parseFullToolName(name),
  decideApproval: ({ request }) => api.decideApproval(request),
  matchRules: ({ rules, request }) => api.matchRules(rules, request),
  summarize: ({ toolName, argumentsJson, result, locale }) => api.summarize(toolName, argumentsJson, result, locale),
  toolDisplayName: ({ name, locale }) => api.toolDisplayName(name, locale),
  toolInputPreview: ({ name, input, locale }) => api.toolInputPreview(name, input, locale),
  callPreview: ({ argumentsJson, ...options }) => api.callPreview(argumentsJson, options),
  streamedPreview: ({ toolName, pieces, locale }) => {
    const preview = new api.CallPreview(toolName)
    return pieces.map((piece) => {
      preview.push(piece)
      return preview.preview(locale)
    })
  },
  resolveLoadMode: (given) => api.resolveLoadMode(given),
  parseLoadMode: ({ value }) => api.parseLoadMode(value),
  parseLocalReport: ({ report, reportText, expectedServers }) => api.parseLocalReport(reportText ?? report, expectedServers),
  cloudConnectResult: ({ servers, outcomes }) => api.cloudConnectResult(servers, outcomes),
  normalizeInputSchema: ({ schema }) => api.normalizeInputSchema(schema),
  validateArguments: ({ schema, args }) => api.validateArguments(schema, args),
  estimateTokens: ({ text }) => api.estimateTokens(text),
  constants: () => api,
}

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value)
const texts = (value) => (Array.isArray(value) ? value : [value])
const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
const length = (value) => (typeof value === 'string' ? [...value].length : Array.isArray(value) ? value.length : undefined)

/** Where an output differs from what is expected; nothing when it matches. */
function difference(expect, got, path = '') {
  const differs = (what) => `${path}: ${what} expected, got ${JSON.stringify(got)?.slice(0, 600)}`
  if (isObject(expect)) {
    for (const [key, value] of Object.entries(expect)) {
      if (!key.startsWith('$')) {
        if (!isObject(got)) return differs(`an object with ${key}`)
        const deeper = difference(value, got[key] ?? null, `${path}/${key}`)
        if (deeper) return deeper
      } else if (!matchers[key](value, got)) {
        return differs(`${key} ${JSON.stringify(value)}`)
      }
    }
    return Object.keys(expect).length > 0 || isObject(got) ? undefined : differs('an object')
  }
  if (Array.isArray(expect)) {
    if (!Array.isArray(got) || got.length !== expect.length) return differs(`${expect.length} items`)
    return expect.map((each, index) => difference(each, got[index], `${path}/${index}`)).find(Boolean)
  }
  return expect === (got ?? null) ? undefined : differs(JSON.stringify(expect))
}

const plain = (value) => JSON.parse(JSON.stringify(value))
const fits = (expect, got) => difference(expect, got) === undefined
const matchers = {
  $contains: (expect, got) => typeof got === 'string' && texts(expect).every((part) => got.includes(part)),
  $notContains: (expect, got) => typeof got === 'string' && !texts(expect).some((part) => got.includes(part)),
  $startsWith: (expect, got) =>
    Array.isArray(expect)
      ? Array.isArray(got) && got.length >= expect.length && expect.every((each, index) => fits(each, got[index]))
      : typeof got === 'string' && got.startsWith(expect),
  $endsWith: (expect, got) => typeof got === 'string' && got.endsWith(expect),
  $chars: (expect, got) => typeof got === 'string' && [...got].every((c) => expect.includes(c)),
  $length: (expect, got) => length(got) === expect,
  $notEmpty: (_, got) => length(got) > 0,
  $includes: (expect, got) => Array.isArray(got) && expect.every((each) => got.some((item) => fits(each, item))),
  $keys: (expect, got) => isObject(got) && JSON.stringify(Object.keys(got)) === JSON.stringify(expect),
  $equals: (expect, got) => isDeepStrictEqual(plain(got), plain(expect)),
  $oneOf: (expect, got) => expect.some((each) => fits(each, got)),
  $json: (expect, got) => typeof got === 'string' && fits(expect, parsed(got)),
}

/** The part of an output that a JSON Pointer picks. */
function picked(output, pointer = '') {
  const steps = pointer.split('/').slice(1)
  return steps.reduce((value, step) => value[step.replaceAll('~1', '/').replaceAll('~0', '~')], output)
}

function check({ operation, expect, error, pick }, input) {
  if (operation === 'same' || operation === 'different') {
    const outputs = input.inputs.map((each) => JSON.stringify(picked(operations[input.operation](each), pick)))
    const distinct = new Set(outputs).size
    assert.equal(distinct, operation === 'same' ? 1 : outputs.length, outputs.join('\n'))
  } else if (error) {
    assert.throws(
      () => operations[operation](input),
      (thrown) => {
        const got = { code: thrown.code, ...thrown.place }
        assert.equal(difference(writtenOut(error), got), undefined)
        return thrown instanceof Error
      },
    )
  } else {
    assert.equal(difference(writtenOut(expect), operations[operation](input)), undefined)
  }
}

const ids = new Set()
const counts = []
for (const { name, documents, vectors } of files) {
  counts.push(`${name} ${vectors.length}`)
  test(`vectors: ${name}`, () => {
    const failures = []
    for (const vector of vectors) {
      assert.ok(!ids.has(vector.id), `${vector.id} is there twice`)
      ids.add(vector.id)
      try {
        check(vector, inputOf(vector.input, documents))
      } catch (error) {
        failures.push(`${vector.id}: ${error.message}`)
      }
    }
    assert.equal(failures.length, 0, `${failures.length} of ${vectors.length} vectors fail:\n${failures.join('\n')}`)
  })
}

test('no vector is passed over: Rust counts the same', () => {
  const total = files.reduce((sum, { vectors }) => sum + vectors.length, 0)
  assert.equal([...counts, `total ${total}`, ''].join('\n'), read('COUNT'))
})
