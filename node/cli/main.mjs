// The command line: reads the words, runs the command, turns what happened into an exit code.

import { parseArgs } from 'node:util'
import { version } from '../index.mjs'
import { call } from './call.mjs'
import { readConfig } from './config.mjs'
import { connect } from './connect.mjs'
import { EXIT, UsageError } from './errors.mjs'
import { inspect } from './inspect.mjs'
import { plain, plainJson } from './terminal.mjs'

const HELP = `mcp-working-set ${version}

usage: mcp-working-set inspect                  what a model would see, and what it saves
       mcp-working-set describe SERVER TOOL     the tool's schema, as mcp_describe answers
       mcp-working-set call SERVER TOOL [JSON]  plan, decision, result of a call

  --config FILE      mcpServers (Claude Desktop, Cursor) or servers (VS Code);
                     without it a bundled configuration, one of its servers broken on purpose
  --timeout SECONDS  for each server, default 30
  --locale LOCALE    zh-CN (default) or en
  --json             one JSON document on standard output, and nothing else there
  --help, --version

for call:
  --level LEVEL      READ_ONLY (default), READ_WRITE, SMART, PROXY, FULL
  --mode MODE        LOCAL (default) or CLOUD
  --trust WHOM       all (default), none, or server names with commas between them
  --yes              give the consent that would be asked for

exit codes: 0 done; 1 the tool answered with an error; 2 a mistake in the command or configuration;
  3 the call was refused and nothing ran; 4 consent was not given; 5 no server could be connected to;
  129, 130 and 143 ended by SIGHUP, SIGINT (Ctrl-C) or SIGTERM
`

const OPTIONS = /** @type {const} */ ({
  config: { type: 'string' },
  timeout: { type: 'string', default: '30' },
  locale: { type: 'string', default: 'zh-CN' },
  json: { type: 'boolean', default: false },
  level: { type: 'string', default: 'READ_ONLY' },
  mode: { type: 'string', default: 'LOCAL' },
  trust: { type: 'string', default: 'all' },
  yes: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
})

const COMMANDS = {
  inspect: { words: [0, 0], run: inspect },
  describe: { words: [2, 2], run: describe },
  call: { words: [2, 3], run: call },
}

const LEVELS = ['READ_ONLY', 'READ_WRITE', 'SMART', 'PROXY', 'FULL']

/** @param {string[]} words @returns {Promise<number>} the exit code */
export async function main(words) {
  try {
    return await run(words)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`mcp-working-set: ${plain(error.message)}`)
    return error.exitCode
  }
}

async function run(words) {
  const { values: options, positionals } = read(words)
  if (options.version) return print(version)
  if (options.help || positionals.length === 0) {
    process.stdout.write(HELP)
    return options.help ? EXIT.ok : EXIT.usage
  }
  const [name, ...rest] = positionals
  const command = Object.hasOwn(COMMANDS, name) && COMMANDS[name]
  if (!command) throw new UsageError(`there is no command "${name}"; see --help`)
  const [least, most] = command.words
  if (rest.length < least || rest.length > most) throw new UsageError(`"${name}" takes other words; see --help`)
  const timeoutMs = Number(options.timeout) * 1000
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31)) throw new UsageError('--timeout takes a number of seconds')
  oneOf('--locale', options.locale, ['zh-CN', 'en'])
  oneOf('--mode', options.mode, ['LOCAL', 'CLOUD'])
  oneOf('--level', options.level, LEVELS)

  const servers = readConfig(options.config)
  const session = await connect(servers, { timeoutMs, onProgress: progress() })
  try {
    const code = await command.run(session, options, ...rest)
    const allDown = servers.length > 0 && session.set.servers().every((server) => !server.available)
    return code === EXIT.ok && allDown ? EXIT.noServer : code
  } finally {
    await session.close()
  }
}

function read(words) {
  try {
    return parseArgs({ args: words, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${error.message.split('\n')[0]}; see --help`)
  }
}

function oneOf(option, value, values) {
  if (!values.includes(value)) throw new UsageError(`${option} takes ${values.join(', ')}, not "${value}"`)
}

async function describe(session, { locale }, server, tool) {
  const answer = session.set.describe(JSON.stringify({ server, tool }), locale)
  print(plainJson(answer))
  return 'error' in JSON.parse(answer) ? EXIT.refused : EXIT.ok
}

function print(text) {
  process.stdout.write(`${text}\n`)
  return EXIT.ok
}

/** Says on a terminal how far connecting is; in a pipe nothing. */
function progress() {
  if (!process.stderr.isTTY) return undefined
  return (done, all, name) => {
    process.stderr.write(`\r\u001b[Kconnecting ${done}/${all} ${plain(name)}${done === all ? '\r\u001b[K' : ''}`)
  }
}
