// The main job on real public MCP servers: `cargo xtask demo`. Ends with 0 only if every step did what it should.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { CallPreview, parseFullToolName } from '../index.mjs'
import { callOnce, show } from '../cli/call.mjs'
import { connect } from '../cli/connect.mjs'
import { inspect } from '../cli/inspect.mjs'
import { measure } from '../cli/measure.mjs'

const { values } = parseArgs({ options: { locale: { type: 'string', default: 'en' } } })
const { locale } = values

const { resolve } = createRequire(import.meta.url)

/** The program of an installed server package. */
function program(name) {
  const manifest = resolve(`@modelcontextprotocol/server-${name}/package.json`)
  return path.join(path.dirname(manifest), Object.values(JSON.parse(readFileSync(manifest, 'utf8')).bin)[0])
}

function heading(text) {
  console.log(`\n━━ ${text}\n`)
}

/** What a command writes to standard output. */
async function captured(command) {
  const { write } = process.stdout
  let text = ''
  process.stdout.write = (chunk) => ((text += chunk), true)
  try {
    await command()
  } finally {
    process.stdout.write = write
  }
  return text.trimEnd()
}

function freePort() {
  return new Promise((found, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => found(port))
    })
  })
}

/** Starts server-everything over streamable HTTP and waits until it listens. */
async function startHttpServer(port) {
  const child = spawn(process.execPath, [program('everything'), 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await new Promise((listening, reject) => {
    let said = ''
    const read = (chunk) => {
      said += chunk
      if (said.includes(`listening on port ${port}`)) listening()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`server-everything ended with ${code}: ${said}`)))
  })
  return child
}

const folder = mkdtempSync(path.join(tmpdir(), 'mcp-working-set-demo-'))
writeFileSync(path.join(folder, 'hello.txt'), 'Hello from the demo.\n')
const port = await freePort()
const http = await startHttpServer(port)
process.on('exit', () => http.kill())

const node = (name, ...args) => ({ command: process.execPath, args: [program(name), ...args] })
const servers = [
  { name: 'everything', description: 'Exercises every feature of the protocol', ...node('everything') },
  { name: 'everything-http', description: 'The same over streamable HTTP', url: `http://127.0.0.1:${port}/mcp` },
  { name: 'filesystem', description: 'Files in a temporary folder', ...node('filesystem', folder) },
  { name: 'memory', description: 'A knowledge graph', ...node('memory'), env: { MEMORY_FILE_PATH: path.join(folder, 'memory.jsonl') } },
  { name: 'sequential-thinking', description: 'Step-by-step thinking', ...node('sequential-thinking') },
  { name: 'broken', description: 'Broken on purpose', command: 'no-such-mcp-server' },
]

const session = await connect(servers, {
  timeoutMs: 60_000,
  onProgress: (done, all, name) => console.log(`connected or given up: ${done}/${all} ${name}`),
})
try {
  const { set } = session

  heading('What the model sees, and what it saves')
  await inspect(session, { locale, json: false })
  const measured = measure(set, locale)
  assert.equal(set.serverCount, servers.length)
  for (const { address, available, tools } of set.servers()) {
    assert.equal(available, address !== 'broken', address)
    assert.equal(tools.length > 0, available, address)
  }
  assert.ok(measured.share < 0.5, 'the working set is smaller than half of FULL')
  assert.ok(measured.annotations.readOnly > 0)

  heading('mcp_describe filesystem.read_text_file')
  const described = set.describe(JSON.stringify({ server: 'filesystem', tool: 'read_text_file' }), locale)
  console.log(described)
  assert.deepEqual(JSON.parse(described).inputSchema.required, ['path'])

  /** Plans and, where it may, runs one call; checks what came of it. */
  const step = async (title, argumentsJson, { level = 'READ_WRITE', consent = false }, check) => {
    heading(title)
    console.log(`mcp_call  ${argumentsJson}`)
    const asked = []
    const report = await callOnce(session, argumentsJson, { mode: 'LOCAL', level, trust: 'all', locale }, async ({ plan, card }) => {
      asked.push(plan)
      console.log(`asks      ${card.title}\n${card.lines.map((line) => `            ${line}`).join('\n')}`)
      return consent
    })
    console.log(show(report))
    check(report, asked.length)
  }
  const file = path.join(folder, 'written.txt')
  const write = JSON.stringify({ server: 'filesystem', tool: 'write_file', arguments: { path: file, content: 'Written by the demo.' } })

  await step(
    'A call that only reads: runs without asking',
    JSON.stringify({ server: 'filesystem', tool: 'read_text_file', arguments: { path: path.join(folder, 'hello.txt') } }),
    {},
    ({ plan, result, approved }, asked) => {
      assert.deepEqual([plan.kind, plan.decision.basis, approved, asked], ['execute', 'annotation', true, 0])
      assert.match(result, /Hello from the demo/)
    },
  )
  await step('A call that writes: asks, and nobody consents', write, {}, ({ plan, approved }, asked) => {
    assert.deepEqual([plan.decision.outcome, approved, asked], ['ask_user', false, 1])
    assert.throws(() => readFileSync(file))
  })
  await step('The same call with consent', write, { consent: true }, ({ approved, exitCode }, asked) => {
    assert.deepEqual([approved, exitCode, asked], [true, 0, 1])
    assert.equal(readFileSync(file, 'utf8'), 'Written by the demo.')
  })
  await step(
    'A call over streamable HTTP',
    JSON.stringify({ server: 'everything-http', tool: 'echo', arguments: { message: 'over HTTP' } }),
    { consent: true },
    ({ exitCode, result }) => {
      assert.equal(exitCode, 0)
      assert.match(result, /over HTTP/)
    },
  )
  await step(
    'A name that differs only in spelling, arguments as a string: understood, and said so',
    JSON.stringify({ server: 'Memory', tool: 'read-graph', arguments: '{}' }),
    {},
    ({ plan, exitCode }) => {
      assert.deepEqual([plan.server, plan.tool, exitCode], ['memory', 'read_graph', 0])
      assert.deepEqual(plan.repairs, ['parsed_arguments_string', 'respelled_server', 'respelled_tool'])
    },
  )
  await step(
    'A misspelt tool: nothing runs, the nearest names are suggested',
    JSON.stringify({ server: 'filesystem', tool: 'raed_text_file', arguments: {} }),
    { level: 'FULL' },
    ({ plan }) => {
      assert.deepEqual([plan.kind, plan.code], ['refuse', 'unknown_tool'])
      assert.equal(JSON.parse(plan.resultJson).suggestions[0], 'read_text_file')
    },
  )
  await step(
    'Arguments that break the schema: nothing runs, the model can repair them',
    JSON.stringify({ server: 'filesystem', tool: 'read_text_file', arguments: { filePath: '/x' } }),
    { level: 'FULL' },
    ({ plan }) => assert.deepEqual([plan.kind, plan.code], ['refuse', 'schema_violation']),
  )
  await step('JSON that was cut off: never completed', write.slice(0, -20), { level: 'FULL' }, ({ plan }) => {
    assert.deepEqual([plan.kind, plan.code, plan.decision.needApproval], ['refuse', 'invalid_json', true])
  })
  await step('A call to the broken server', '{"server":"broken","tool":"x"}', { level: 'FULL' }, ({ plan }) => {
    assert.deepEqual([plan.kind, plan.code], ['refuse', 'server_unavailable'])
    assert.match(plan.resultJson, /not found/)
  })

  heading('A call while it streams in, as its card shows it')
  const preview = new CallPreview('mcp_call')
  const seen = []
  for (let at = 0; at < write.length; at += 7) {
    preview.push(write.slice(at, at + 7))
    const line = preview.summary(locale)
    if (line !== seen.at(-1)) {
      seen.push(line)
      console.log(line)
    }
  }
  assert.equal(seen.length, 3, 'no name, then the server, then both')
  assert.match(seen.at(-1), /filesystem\.write_file$/)
  assert.deepEqual(parseFullToolName('mcp__filesystem__write_file'), { server: 'filesystem', tool: 'write_file' })

  heading('The same with --json')
  const document = await captured(() => inspect(session, { locale, json: true }))
  console.log(document)
  const { section, tokens, annotations, servers: shown } = JSON.parse(document)
  assert.deepEqual(
    { section, ...tokens, annotations },
    { section: set.section(locale), servers: measured.servers, total: measured.total, share: measured.share, annotations: measured.annotations },
  )
  assert.equal(shown.length, servers.length)
  console.log('\nall steps did what they should')
} finally {
  await session.close()
  http.kill()
  rmSync(folder, { recursive: true, force: true })
}
