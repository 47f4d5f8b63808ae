// Schemas of real tools: those of the bundled servers, which are started here, and those of the folder that MWS_CORPUS
// names. Every one of them normalises, is checked or says why not, takes arguments made to fit it, and refuses them with
// a required property removed.

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { WorkingSet, normalizeInputSchema, validateArguments } from '../index.mjs'
import { readConfig } from '../cli/config.mjs'
import { connect } from '../cli/connect.mjs'

const { resolve } = createRequire(import.meta.url)

/** Objects are filled this deep, deeper with what is required only. */
const FILLED = 4

/** Texts of the formats that draft 7 has checked. */
const FORMATS = {
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
  time: '00:00:00Z',
  email: 'a@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
}

/** What `$ref` leads to, inside the same schema. */
function followed(schema, root) {
  for (let steps = 0; schema?.$ref !== undefined && steps < 16; steps++) {
    const keys = schema.$ref.replace(/^#\/?/, '').split('/').filter(Boolean)
    schema = keys.reduce((at, key) => at[key.replaceAll('~1', '/').replaceAll('~0', '~')], root)
  }
  return schema
}

/** A value that fits a schema, with everything optional in it or with nothing of it; throws where it knows none. */
function fitting(schema, filled, root = schema, depth = 0) {
  schema = followed(schema, root)
  if (depth > 32) throw new Error('has no end')
  if (typeof schema !== 'object' || schema === null) {
    if (schema === false) throw new Error('nothing fits')
    return 'anything'
  }
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum.at(-1)
  const union = schema.anyOf ?? schema.oneOf
  if (union) {
    const { anyOf, oneOf, ...others } = schema
    return fitting({ ...others, ...followed(union[0], root) }, filled, root, depth + 1)
  }
  if (schema.allOf) throw new Error('allOf is not known here')
  const kinds = [schema.type ?? (schema.properties ? 'object' : 'string')].flat()
  switch (kinds[0]) {
    case 'object': {
      const { properties = {}, required = [], additionalProperties } = schema
      const optional = filled && depth < FILLED ? Object.keys(properties).filter((name) => fillable(properties[name], root)) : []
      const names = new Set([...required, ...optional])
      const value = Object.fromEntries([...names].map((name) => [name, fitting(properties[name] ?? true, filled, root, depth + 1)]))
      if (filled && names.size === 0 && additionalProperties?.type) value.extra = fitting(additionalProperties, filled, root, depth + 1)
      return value
    }
    case 'array': {
      const least = Math.max(schema.minItems ?? 0, filled && depth < FILLED && schema.maxItems !== 0 ? 1 : 0)
      return Array.from({ length: least }, () => fitting(schema.items ?? true, filled, root, depth + 1))
    }
    case 'integer':
    case 'number': {
      const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
      if (minimum !== undefined) return minimum
      if (exclusiveMinimum !== undefined) return exclusiveMaximum === undefined ? exclusiveMinimum + 1 : (exclusiveMinimum + exclusiveMaximum) / 2
      return maximum ?? (exclusiveMaximum === undefined ? 7 : exclusiveMaximum - 1)
    }
    case 'boolean':
      return true
    case 'null':
      return null
    default: {
      if (schema.pattern) {
        const guess = ['text', '', 'A1', 'AS1'].find((text) => new RegExp(schema.pattern, 'u').test(text))
        if (guess === undefined) throw new Error(`no text is known for ${schema.pattern}`)
        return guess
      }
      if (schema.format) return FORMATS[schema.format] ?? 'text'
      return 'text'.padEnd(schema.minLength ?? 0, '.').slice(0, schema.maxLength)
    }
  }
}

/** Whether an optional property can be filled in; unknown patterns and endless schemas cannot. */
function fillable(schema, root) {
  try {
    fitting(schema, false, root)
    return true
  } catch {
    return false
  }
}

/** Holds every tool of a set to it, and counts. */
function check(set) {
  const counts = { tools: 0, checked: 0, unchecked: 0, accepted: 0, refused: 0 }
  for (const server of set.servers()) {
    if (!server.available) continue
    for (const { name } of server.tools) {
      const shown = `${server.address}.${name}`
      const plan = (args) => set.planCall(JSON.stringify({ server: server.address, tool: name, arguments: args }), { executionMode: 'CLOUD' })
      const { inputSchema } = JSON.parse(set.describe(JSON.stringify({ server: server.address, tool: name })))
      counts.tools++

      const normal = normalizeInputSchema(inputSchema)
      assert.equal(normal.type, 'object', shown)
      assert.equal(typeof normal.properties, 'object', shown)
      assert.deepEqual(normalizeInputSchema(normal), normal, shown)

      const first = plan({})
      if (first.unchecked) {
        console.log(`not checked: ${shown}: ${first.unchecked}`)
        counts.unchecked++
        assert.equal(first.kind, 'execute', shown)
        continue
      }
      counts.checked++
      for (const filled of [false, true]) {
        const args = fitting(inputSchema, filled)
        const planned = plan(args)
        assert.equal(planned.kind, 'execute', `${shown} ${JSON.stringify(args)}: ${planned.resultJson}`)
        assert.deepEqual([planned.checked, planned.repairs], [true, []], shown)
        assert.deepEqual(validateArguments(normal, args), { checked: true, violations: [] }, shown)
        counts.accepted++
        for (const missing of inputSchema.required ?? []) {
          const { [missing]: _, ...rest } = args
          const refused = plan(rest)
          assert.deepEqual([refused.kind, refused.code], ['refuse', 'schema_violation'], `${shown} without ${missing}`)
          const places = JSON.parse(refused.resultJson).violations.map(({ path }) => path)
          assert.deepEqual(places, [`/${missing.replaceAll('~', '~0').replaceAll('/', '~1')}`], shown)
          counts.refused++
        }
      }
    }
  }
  return counts
}

test('tools of the bundled servers', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mcp-working-set-tools-'))
  const servers = readConfig(undefined, { ...process.env, TMPDIR: folder })
  // The very packages that the configuration names, from where they are installed.
  const installed = servers.map(({ args, ...server }) => {
    const [, name] = args.join(' ').match(/-y (@.+)@/) ?? []
    if (!name) return { ...server, args }
    const manifest = resolve(`${name}/package.json`)
    const program = path.join(path.dirname(manifest), Object.values(JSON.parse(readFileSync(manifest, 'utf8')).bin)[0])
    return { ...server, command: process.execPath, args: [program, ...args.slice(2)] }
  })
  const session = await connect(installed, { timeoutMs: 60_000 })
  try {
    assert.deepEqual(session.set.servers().filter(({ available }) => !available).map(({ name }) => name), ['broken'])
    const counts = check(session.set)
    console.log('bundled servers:', JSON.stringify(counts))
    assert.ok(counts.tools > 30 && counts.checked === counts.tools, JSON.stringify(counts))
  } finally {
    await session.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('tools of the corpus', { skip: !process.env.MWS_CORPUS && 'MWS_CORPUS names no folder' }, () => {
  const corpus = process.env.MWS_CORPUS
  const total = {}
  for (const folder of [corpus, path.join(corpus, 'sets')].filter(existsSync)) {
    for (const file of readdirSync(folder).filter((file) => file.endsWith('.json')).sort()) {
      const content = readFileSync(path.join(folder, file), 'utf8')
      const { server, tools } = JSON.parse(content)
      // A single server's file has its tools as the protocol lists them.
      const set = server
        ? WorkingSet.from({
            servers: [{ id: 1, name: server.name }],
            tools: tools.map(({ name, ...tool }) => ({ ...tool, serverId: 1, serverName: server.name, toolName: name })),
          })
        : WorkingSet.fromJson(content)
      const counts = check(set)
      assert.ok(counts.tools > 0, file)
      for (const [what, count] of Object.entries(counts)) total[what] = (total[what] ?? 0) + count
    }
  }
  console.log('corpus:', JSON.stringify(total))
  assert.equal(total.checked + total.unchecked, total.tools)
  assert.ok(total.checked > 0 && total.accepted > 0 && total.refused > 0)
})
