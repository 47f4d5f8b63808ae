// Native against TypeScript, in one process, interleaved, medians: `npm run bench`, after `npm run build`.
// `MWS_CORPUS=DIR` adds the documents `DIR/sets/*.json`.

import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { CallPreview, WorkingSet, toolInputPreview } from '../index.mjs'
import * as reference from './reference.mjs'

/** A document of so many tools, 50 a server, with schemas of the size that public servers have. */
function generate(count) {
  const servers = Array.from({ length: Math.ceil(count / 50) }, (_, n) => ({ id: n + 1, name: `server-${n}`, description: `Number ${n}` }))
  const tools = Array.from({ length: count }, (_, n) => {
    const property = (p) => [
      `property_${p}`,
      { type: 'string', description: `The value of property ${p}, as the server documents it for its callers`, minLength: 1 },
    ]
    return {
      serverId: Math.floor(n / 50) + 1,
      serverName: `server-${Math.floor(n / 50)}`,
      toolName: `tool_${n}`,
      description: `Reads item ${n} of the collection.\nUse it when the item is known by its path.`,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 3 + (n % 5) }, (_, p) => property(p))),
        required: ['property_0'],
      },
      annotations: { readOnlyHint: n % 2 === 0 },
    }
  })
  return { servers, tools, connectionErrors: [] }
}

/** What the model carries on every request, by a real tokenizer, in both languages. */
async function tokens(name, input) {
  const { measure } = await import('../cli/measure.mjs')
  const set = WorkingSet.from(input)
  for (const locale of ['zh-CN', 'en']) {
    const { total, share } = measure(set, locale)
    console.log(`${name.padEnd(16)} ${locale.padEnd(5)} FULL ${total.full.o200k} tokens, working set ${total.workingSet.o200k}: ${(100 * share).toFixed(2)} %`)
  }
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1]

/** Median microseconds of several pieces of work, each run `inner` times in turn with the others. */
function interleaved(rounds, inner, works) {
  const times = works.map(() => [])
  for (let round = 0; round < rounds; round++) {
    works.forEach((work, index) => {
      const start = process.hrtime.bigint()
      for (let n = 0; n < inner; n++) work()
      times[index].push(Number(process.hrtime.bigint() - start) / 1e3 / inner)
    })
  }
  return times.map(median)
}

const us = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(0)).padStart(7)

function buildAndSection(name, input) {
  const text = JSON.stringify(input)
  const bytes = Buffer.from(text)
  assert.equal(WorkingSet.fromJson(bytes).section().text, reference.section(reference.build(input)).text, 'one text')
  const rounds = Math.max(9, Math.min(200, Math.round(4e6 / bytes.length)))
  const [fromBytes, scriptBytes, fromText, scriptText, fromObjects, parse] = interleaved(rounds, 1, [
    () => WorkingSet.fromJson(bytes).section().text,
    () => reference.section(reference.build(JSON.parse(bytes.toString()))).text,
    () => WorkingSet.fromJson(text).section().text,
    () => reference.section(reference.build(JSON.parse(text))).text,
    () => WorkingSet.from(input).section().text,
    () => JSON.parse(text),
  ])
  console.log(
    `${name.padEnd(16)} ${String(input.tools.length).padStart(6)} tools  bytes ${us(fromBytes)} µs, ${(scriptBytes / fromBytes).toFixed(1)}× TypeScript` +
      `   string ${us(fromText)} µs, ${(scriptText / fromText).toFixed(1)}×   objects ${us(fromObjects)} µs, ${(fromObjects / parse).toFixed(2)} of JSON.parse`,
  )
  const set = WorkingSet.fromJson(bytes)
  set.section()
  const [again] = interleaved(21, 10_000, [() => set.section()])
  assert.equal(set.section(), set.section())
  console.log(`${' '.repeat(24)}section() again ${(again * 1e3).toFixed(0)} ns, no new string`)
}

function planning(bytes) {
  const input = generate(1500)
  const set = WorkingSet.from(input)
  const script = reference.build(input)
  const filler = { property_0: 'one', list: [1, 2, 3], nested: { a: true, text: 'some text "quoted"\n' }, more: '' }
  filler.more = 'word '.repeat(Math.max(0, Math.round((bytes - JSON.stringify(filler).length - 40) / 5)))
  const call = JSON.stringify({ server: 'server-7', tool: 'tool_351', arguments: filler })
  for (const validate of [false, true]) {
    const context = { executionMode: 'LOCAL', permissionLevel: 'READ_WRITE', validate }
    assert.equal(set.planCall(call, context).argumentsJson, reference.planCall(script, call, context).argumentsJson)
    const [ours, theirs] = interleaved(51, 2000, [() => set.planCall(call, context), () => reference.planCall(script, call, context)])
    console.log(
      `plan ${String(call.length).padStart(6)} bytes, validation ${validate ? 'on ' : 'off'}: ${us(ours)} µs, TypeScript ${us(theirs)} µs: ${(theirs / ours).toFixed(2)}×`,
    )
  }
}

/** A stream in 20-byte deltas with a preview after each: linear in its length, whatever is streamed. */
function streaming() {
  const perByte = (size) => {
    const text = JSON.stringify({ server: 'fs', tool: 'write_file', arguments: { content: 'x'.repeat(size) } })
    const [time] = interleaved(5, 1, [
      () => {
        const preview = new CallPreview('mcp_call')
        for (let at = 0; at < text.length; at += 20) {
          preview.push(text.slice(at, at + 20))
          preview.preview()
        }
        assert.equal(preview.preview(), toolInputPreview('mcp_call', text))
      },
    ])
    return (1e3 * time) / text.length
  }
  const [small, large] = [perByte(100_000), perByte(1_000_000)]
  console.log(`stream in 20-byte deltas: ${small.toFixed(1)} ns a byte at 100 KB, ${large.toFixed(1)} at 1 MB: ratio ${(large / small).toFixed(2)}`)
}

for (const count of [30, 200, 1500, 15000]) buildAndSection('generated', generate(count))
if (process.env.MWS_CORPUS) {
  const folder = path.join(process.env.MWS_CORPUS, 'sets')
  for (const file of readdirSync(folder)) {
    const input = JSON.parse(readFileSync(path.join(folder, file), 'utf8'))
    await tokens(path.parse(file).name, input)
    buildAndSection(path.parse(file).name, input)
  }
} else {
  console.log('real tool lists skipped: MWS_CORPUS is not set')
}
for (const bytes of [100, 300, 2_000, 10_000]) planning(bytes)
streaming()
