// The command line over real processes.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseConfig } from '../cli/config.mjs'
import { resultText } from '../cli/result.mjs'

const bin = fileURLToPath(new URL('../bin/mcp-working-set.mjs', import.meta.url))
const paged = fileURLToPath(new URL('servers/paged.mjs', import.meta.url))
const folder = mkdtempSync(path.join(tmpdir(), 'mcp-working-set-cli-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const server = (...words) => ({ command: process.execPath, args: [paged, ...words] })

let files = 0
function config(servers) {
  const file = path.join(folder, `config-${files++}.json`)
  writeFileSync(file, JSON.stringify({ mcpServers: servers }))
  return file
}

/** Runs the command line; standard input is closed unless text is given. */
function run(words, { env, onStart } = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [bin, ...words], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => (stdout += chunk))
    child.stderr.on('data', (chunk) => (stderr += chunk))
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
    onStart?.(child, () => stderr)
  })
}

function alive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function until(condition, ms = 10_000) {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    if (condition()) return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return false
}

test('inspect shows servers that work and servers that do not, and why', async () => {
  const file = config({
    good: server(),
    noisy: server('noisy'),
    hints: server('badhints'),
    dead: server('die'),
    missing: { command: 'no-such-mcp-server', args: ['--key', '${MWS_TEST_SECRET}'] },
    looping: server('loop'),
    silent: server('silent'),
    mute: server('mute'),
    unset: { command: 'x', args: ['${NO_SUCH_VARIABLE}'] },
    asked: { command: 'x', env: { KEY: '${input:key}' } },
    nowhere: { command: process.execPath, args: ['-v'], cwd: path.join(folder, 'nowhere') },
  })
  const { code, stdout, stderr } = await run(['inspect', '--json', '--locale', 'en', '--config', file, '--timeout', '4'], {
    env: { MWS_TEST_SECRET: 'hunter2' },
  })
  assert.equal(code, 0)
  assert.equal(stderr, '')
  const shown = JSON.parse(stdout)
  const servers = Object.fromEntries(shown.servers.map((one) => [one.address, one]))
  assert.deepEqual(servers.good.tools.map((tool) => tool.name), [0, 1, 2, 3, 4, 5, 6].map((n) => `tool_${n}`))
  assert.equal(servers.noisy.tools.length, 7)
  assert.deepEqual(servers.hints.tools.map((tool) => tool.name), [0, 2, 3, 4, 5, 6].map((n) => `tool_${n}`))
  assert.equal(servers.hints.tools[0].readOnly, false)
  assert.match(servers.dead.reason, /ended with 7 .*paged\.mjs die.*; stderr: no settings file\)?$/)
  assert.match(servers.missing.reason, /the command was not found \(no-such-mcp-server --key \$\{MWS_TEST_SECRET\}\)/)
  assert.doesNotMatch(stdout, /hunter2/)
  assert.match(servers.unset.reason, /the environment has no NO_SUCH_VARIABLE, which args\[0\] needs/)
  assert.match(servers.asked.reason, /env\.KEY needs \$\{input:key\}/)
  assert.match(servers.nowhere.reason, /there is no folder .*nowhere to run it in/)
  assert.match(servers.looping.reason, /does not come to an end/)
  assert.match(servers.silent.reason, /no answer within 4 s/)
  assert.match(servers.mute.reason, /no answer within 4 s/)
  assert.equal(shown.tokens.total.tools, 20)
  assert.ok(shown.tokens.total.full.o200k > shown.tokens.total.workingSet.o200k)
  assert.deepEqual(shown.annotations, { readOnly: 11, writable: 8, unknown: 1 })
  assert.match(shown.section.text, /### good \(4 read-only \/ 3 writable\)/)
})

test('inspect for people: no colour and no progress in a pipe', async () => {
  const { code, stdout, stderr } = await run(['inspect', '--config', config({ good: server(), dead: server('die') })])
  assert.equal(code, 0)
  assert.equal(stderr, '')
  assert.match(stdout, /^## MCP 工作集\n/)
  assert.match(stdout, /the working set is \d+\.\d % of FULL(: for so few tools .*)?\n/)
  assert.match(stdout, /annotations: 4 read-only, 3 writable, 0 do not say/)
  assert.doesNotMatch(stdout, /\u001b/)
})

test('no server at all is an exit code of its own', async () => {
  assert.equal((await run(['inspect', '--config', config({ dead: server('die') })])).code, 5)
})

test('describe answers as mcp_describe does', async () => {
  const file = config({ good: server() })
  const found = await run(['describe', 'good', 'TOOL-1', '--config', file])
  assert.deepEqual([found.code, JSON.parse(found.stdout).tool], [0, 'tool_1'])
  const missing = await run(['describe', 'good', 'tool_11', '--config', file])
  assert.deepEqual([missing.code, JSON.parse(missing.stdout).code], [3, 'unknown_tool'])
})

test('call: what reads runs, what writes needs consent, what is refused does not run', async () => {
  const file = config({ good: server(), dead: server('die') })
  const call = async (...words) => {
    const { code, stdout, stderr } = await run(['call', ...words, '--json', '--locale', 'en', '--config', file])
    return { code, stderr, report: stdout && JSON.parse(stdout) }
  }
  const read = await call('good', 'tool_0', '{"n": 1.0}')
  assert.deepEqual([read.code, read.report.plan.decision.basis, read.report.approved], [0, 'annotation', true])
  assert.equal(read.report.result, 'tool_0 got {"n":1}\n[image image/png]')
  assert.equal(read.report.summary, 'Call MCP tool good.tool_0 (ok)')

  const unasked = await call('good', 'tool_1', '--level', 'READ_WRITE')
  assert.deepEqual([unasked.code, unasked.report.approved], [4, false])
  assert.match(unasked.stderr, /no terminal to ask on/)
  assert.equal((await call('good', 'tool_1', '--level', 'READ_WRITE', '--yes')).code, 0)
  assert.equal((await call('good', 'tool_1', '--mode', 'CLOUD')).code, 0)
  assert.equal((await call('good', 'tool_0', '--trust', 'none')).code, 4)
  assert.equal((await call('good', 'tool_0', '--trust', 'good')).code, 0)

  const broke = await call('good', 'tool_6')
  assert.deepEqual([broke.code, broke.report.result], [1, '{"error":"it broke"}'])
  for (const [words, code] of [
    [['good', 'tool_9'], 'unknown_tool'],
    [['other', 'tool_0'], 'unknown_server'],
    [['dead', 'tool_0'], 'server_unavailable'],
    [['good', 'tool_0', '{"n":'], 'invalid_json'],
    [['good', 'tool_0', '[1]'], 'invalid_arguments'],
    // Neither the arguments nor the names can bring in a second call.
    [['good', 'tool_0', '{}, "tool": "tool_1"'], 'invalid_arguments'],
    [['good", "server": "dead', 'tool_0'], 'unknown_server'],
  ]) {
    const refused = await call(...words, '--level', 'FULL', '--yes')
    assert.deepEqual([refused.code, refused.report.plan.code, refused.report.approved], [3, code, false], words.join(' '))
  }
})

// `script` gives the program a terminal of its own.
const noTerminal = spawnSync('script', ['--version']).status !== 0 && 'there is no `script`'

test('consent is asked for on the terminal', { skip: noTerminal }, async () => {
  const file = config({ good: server() })
  const asked = (answer) =>
    new Promise((resolve) => {
      const words = [process.execPath, bin, 'call', 'good', 'tool_1', '{"n": 5}', '--locale', 'en', '--config', file]
      const child = spawn('script', ['-qec', words.map((word) => `'${word}'`).join(' '), '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] })
      let shown = ''
      child.stdout.on('data', (chunk) => {
        const before = shown
        shown += chunk
        if (!before.includes('[y/N]') && shown.includes('[y/N]')) child.stdin.write(answer)
      })
      child.once('close', (code) => resolve({ code, shown }))
    })
  const yes = await asked('y\n')
  assert.equal(yes.code, 0, yes.shown)
  assert.match(yes.shown, /good\.tool_1\r?\n +n: 5\r?\n.*\r?\nRun it\? \[y\/N\]/)
  assert.match(yes.shown, /consent +given/)
  for (const answer of ['n\n', '\n', '\u0004']) {
    const no = await asked(answer)
    assert.equal(no.code, 4, no.shown)
    assert.doesNotMatch(no.shown, /tool_1 got/)
  }
})

test('mistakes in the command or the configuration', async () => {
  const file = config({ good: server() })
  const broken = path.join(folder, 'broken.json')
  writeFileSync(broken, '{"mcpServers": {\n  "a": }}')
  for (const [words, said] of [
    [[], /usage/],
    [['fly'], /no command "fly"/],
    [['toString'], /no command/],
    [['inspect', 'x'], /takes other words/],
    [['inspect', '--colour'], /--colour/],
    [['inspect', '--locale', 'fr'], /--locale takes zh-CN, en/],
    [['inspect', '--timeout', 'soon'], /--timeout/],
    [['call', 'good', 'tool_0', '--level', 'ROOT', '--config', file], /--level takes/],
    [['call', 'good', 'tool_0', '--trust', 'nobody', '--config', file], /no server "nobody"/],
    [['inspect', '--config', path.join(folder, 'none.json')], /cannot be read/],
    [['inspect', '--config', broken], /not JSON: .* at line 2, column 8/],
    [['inspect', '--config', config({ a: {} })], /server "a" has neither "command" nor "url"/],
  ]) {
    const { code, stdout, stderr } = await run(words)
    assert.equal(code, 2, words.join(' '))
    assert.match(words.length === 0 ? stdout : stderr, said)
    assert.doesNotMatch(stderr, /\n\s+at /, 'no stack')
  }
  assert.equal((await run(['--version'])).stdout.trim(), '0.1.0')
  assert.match((await run(['--help'])).stdout, /exit codes/)
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  test(`${signal} leaves no process behind`, { skip: process.platform === 'win32' && 'no such signals there' }, async () => {
    const trace = path.join(folder, `pids-${signal}`)
    const stubborn = { command: 'sh', args: ['-c', `exec "$0" "$@" 2> ${trace}`, process.execPath, paged, 'stubborn', 'silent'] }
    const pids = () => {
      try {
        return readFileSync(trace, 'utf8').match(/^pids (\d+) (\d+)$/m)?.slice(1).map(Number)
      } catch {
        return undefined
      }
    }
    const { code } = await run(['inspect', '--config', config({ stubborn })], {
      onStart: async (child) => {
        assert.ok(await until(pids))
        child.kill(signal)
      },
    })
    assert.equal(code, signal === 'SIGINT' ? 130 : 143)
    assert.ok(await until(() => !pids().some(alive)), 'the server and what it started have ended')
  })
}

test('a stubborn server is ended with what it started', { skip: process.platform === 'win32' && 'no process groups there' }, async () => {
  const trace = path.join(folder, 'pids-end')
  const stubborn = { command: 'sh', args: ['-c', `exec "$0" "$@" 2> ${trace}`, process.execPath, paged, 'stubborn'] }
  const { code } = await run(['inspect', '--config', config({ stubborn })])
  assert.equal(code, 0)
  const pids = readFileSync(trace, 'utf8').match(/^pids (\d+) (\d+)$/m).slice(1).map(Number)
  assert.ok(await until(() => !pids.some(alive)))
})

test('a server that cannot be reached over HTTP', async () => {
  const refusing = createServer((_, response) => response.writeHead(503).end('down for repairs'))
  await new Promise((resolve) => refusing.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${refusing.address().port}/mcp`
  const { stdout } = await run(['inspect', '--json', '--config', config({ web: { url }, closed: { url: 'http://127.0.0.1:1/mcp' } })])
  refusing.close()
  const [closed, web] = JSON.parse(stdout).servers
  assert.ok(web.reason.includes(url))
  assert.match(closed.reason, /127\.0\.0\.1:1/)
})

test('configurations of Claude Desktop, Cursor and VS Code', () => {
  const env = { HOME: '/home/me', EMPTY: '' }
  const read = (text) => parseConfig(text, 'f', env, '/work')
  const claude = read('{"mcpServers": {"a": {"command": "x", "args": ["${HOME}/b", "${NONE:-d}${EMPTY}"], "env": {"K": "${env:HOME}"}}}}')
  assert.deepEqual(claude, [
    { name: 'a', shown: 'x ${HOME}/b ${NONE:-d}${EMPTY}', description: undefined, command: 'x', args: ['/home/me/b', 'd'], env: { K: '/home/me' }, cwd: undefined },
  ])
  const cursor = read('{"mcpServers": {"a": {"url": "https://h/mcp", "headers": {"Authorization": "Bearer ${HOME}"}}, "off": {"disabled": true}}}')
  assert.deepEqual(cursor, [
    { name: 'a', shown: 'https://h/mcp', description: undefined, url: 'https://h/mcp', headers: { Authorization: 'Bearer /home/me' } },
  ])
  const code = read(`{
    // as VS Code writes it
    "inputs": [{"id": "key"}],
    "servers": {"a": {"type": "stdio", "command": "x", "cwd": "\${workspaceFolder}",}, "b": {"type": "http", "url": "http://h"},},
  }`)
  assert.deepEqual(code.map(({ name, cwd, url }) => [name, cwd, url]), [['a', '/work', undefined], ['b', undefined, 'http://h']])
  assert.equal(read('{"mcpServers": {"a": {"type": "sse", "url": "http://h/sse"}}}')[0].type, 'sse')
  assert.equal(read('{"servers": {"a": {"command": "${userHome}/x"}}}')[0].command, `${homedir()}/x`)
  assert.equal(read('{"servers": {"a": {"command": "sh", "args": ["echo ${#HOME}"]}}}')[0].args[0], 'echo ${#HOME}')
  for (const [text, said] of [
    ['{"mcpServers": []}', /neither/],
    ['{"mcpServers": {"a": 5}}', /not an object/],
    ['{"mcpServers": {"a": {"command": 5}}}', /command must be a string/],
    ['{"mcpServers": {"a": {"command": "x", "args": "y"}}}', /args must be a list/],
    ['{"mcpServers": {"a": {"url": "nowhere"}}}', /not a URL/],
  ]) {
    assert.throws(() => read(text), said)
  }
})

test('arguments reach the server byte for byte', async () => {
  const argumentsJson = '{ "n": 12345678901234567890, "n": 1.0e2,\n "text": "\\u00e9" }'
  const { stdout } = await run(['call', 'raw', 'tool_0', argumentsJson, '--json', '--config', config({ raw: server('raw') })])
  assert.ok(JSON.parse(stdout).result.includes(`"arguments":${argumentsJson.replace('\n', ' ')}`), stdout)
})

test('what servers say cannot drive the terminal, nor stop the count of tokens', async () => {
  const file = config({ 'hostile\u001b[31m\u202e': server('hostile') })
  const name = JSON.parse(readFileSync(file, 'utf8')).mcpServers
  const [hostile] = Object.keys(name)
  const answers = []
  for (const words of [
    ['inspect'],
    ['inspect', '--json'],
    ['describe', hostile, 'tool_0'],
    ['call', hostile, 'tool_0', '--level', 'FULL', '--mode', 'CLOUD'],
    ['call', hostile, 'clear\u001b[2J\u009b\u0007', '{"a":"\u009b\u202e"}', '--level', 'FULL', '--mode', 'CLOUD'],
  ]) {
    const { code, stdout, stderr } = await run([...words, '--config', file])
    assert.deepEqual([code, stderr], [0, ''], words[0])
    assert.doesNotMatch(stdout, /[^\P{Cc}\n\t]|\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}/u, words[0])
    answers.push(stdout)
  }
  assert.equal(JSON.parse(answers[2]).inputSchema.description, 'turned \u202eround, cleared \u009b2J, tagged \u{e0041}', 'the same value')
  assert.equal(JSON.parse(answers[1]).servers[0].name, hostile)
})

test('a second signal ends at once, and still leaves no process behind', { skip: process.platform === 'win32' && 'no such signals there' }, async () => {
  const trace = path.join(folder, 'pids-twice')
  const stubborn = { command: 'sh', args: ['-c', `exec "$0" "$@" 2> ${trace}`, process.execPath, paged, 'stubborn', 'silent'] }
  const pids = () => existsSync(trace) && readFileSync(trace, 'utf8').match(/^pids (\d+) (\d+)$/m)?.slice(1).map(Number)
  const { code } = await run(['inspect', '--config', config({ stubborn })], {
    onStart: async (child) => {
      await until(pids)
      child.kill('SIGHUP')
      setTimeout(() => child.kill('SIGINT'), 100)
    },
  })
  assert.equal(code, 130)
  assert.ok(await until(() => !pids().some(alive)))
})

test('results as a model gets them', () => {
  assert.equal(resultText({ content: [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }] }), 'a\nb')
  assert.equal(resultText({ isError: true, content: [{ type: 'text', text: 'no' }] }), '{"error":"no"}')
  assert.equal(resultText({ isError: true, content: [] }), '{"error":"the tool failed without saying why"}')
  assert.equal(resultText({ content: [{ type: 'text', text: 'a' }], structuredContent: { a: 1 } }), '{"a":1}')
  assert.equal(resultText({ content: [{ type: 'image', mimeType: 'image/png' }, { type: 'audio' }, null] }), '[image image/png]\n[audio]\n[content]')
  assert.equal(resultText({}), '')
})
