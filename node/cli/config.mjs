// Reads the configuration that Claude Desktop, Cursor and VS Code write.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, printParseErrorCode } from 'jsonc-parser'
import { UsageError } from './errors.mjs'

const BUNDLED = fileURLToPath(new URL('./bundled.json', import.meta.url))

/**
 * @typedef {object} ServerConfig
 * @property {string} name
 * @property {string} [shown]  the command line or address as it was written: what variables hold may be secret
 * @property {string} [description]
 * @property {string} [command]  for stdio
 * @property {string[]} [args]
 * @property {Record<string, string>} [env]
 * @property {string} [cwd]
 * @property {string} [url]  for streamable HTTP, and for the older SSE
 * @property {'sse'} [type]
 * @property {Record<string, string>} [headers]
 * @property {string} [fault]  why it cannot be started as it is configured; then there is nothing else but names
 */

/**
 * The servers of a configuration file; of the bundled one where none is named.
 * @param {string | undefined} file
 * @param {NodeJS.ProcessEnv} env
 * @returns {ServerConfig[]}
 */
export function readConfig(file, env = process.env) {
  const shown = file ?? 'the bundled configuration'
  let text
  try {
    text = readFileSync(file ?? BUNDLED, 'utf8')
  } catch (error) {
    throw new UsageError(`${shown} cannot be read: ${error.message}`)
  }
  return parseConfig(text, shown, env, file && path.dirname(path.resolve(file)))
}

/** @param {string} text @param {string} shown @param {NodeJS.ProcessEnv} env @param {string} [directory] */
export function parseConfig(text, shown, env, directory) {
  const errors = []
  const config = parse(text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true })
  if (errors.length > 0) {
    const [{ error, offset }] = errors
    const before = text.slice(0, offset).split('\n')
    throw new UsageError(`${shown} is not JSON: ${printParseErrorCode(error)} at line ${before.length}, column ${before.at(-1).length + 1}`)
  }
  const entries = config?.mcpServers ?? config?.servers ?? config?.mcp?.servers
  if (entries === null || typeof entries !== 'object' || Array.isArray(entries)) {
    throw new UsageError(`${shown} has neither "mcpServers" nor "servers"`)
  }
  const servers = []
  for (const [name, entry] of Object.entries(entries)) {
    if (entry?.disabled === true) continue
    servers.push(readServer(name, entry, `${shown}: server "${name}"`, env, directory))
  }
  return servers
}

/** What one server lacks, which is no reason to show none of the others. */
class Fault extends Error {}

function readServer(name, entry, shown, env, directory) {
  try {
    return readEntry(name, entry, shown, env, directory)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { name, fault: error.message }
  }
}

function readEntry(name, entry, shown, env, directory) {
  if (entry === null || typeof entry !== 'object') throw new UsageError(`${shown} is not an object`)
  const expand = (value, what) => {
    if (typeof value !== 'string') throw new UsageError(`${shown}: ${what} must be a string`)
    return expandVariables(value, env, what, directory)
  }
  const strings = (values, what) =>
    values &&
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, expand(String(value), `${what}.${key}`)]))
  const description = typeof entry.description === 'string' ? entry.description : undefined
  if (entry.url !== undefined) {
    const url = expand(entry.url, 'url')
    if (!URL.canParse(url)) throw new UsageError(`${shown}: "${entry.url}" is not a URL`)
    return { name, shown: entry.url, description, url, headers: strings(entry.headers, 'headers'), ...(entry.type === 'sse' && { type: 'sse' }) }
  }
  if (entry.command === undefined) throw new UsageError(`${shown} has neither "command" nor "url"`)
  if (entry.args !== undefined && !Array.isArray(entry.args)) throw new UsageError(`${shown}: args must be a list`)
  return {
    name,
    shown: [entry.command, ...(entry.args ?? [])].join(' '),
    description,
    command: expand(entry.command, 'command'),
    args: (entry.args ?? []).map((value, index) => expand(String(value), `args[${index}]`)),
    env: strings(entry.env, 'env'),
    cwd: entry.cwd === undefined ? undefined : expand(entry.cwd, 'cwd'),
  }
}

/**
 * `${NAME}` and `${env:NAME}`, with `${NAME:-default}`; `${workspaceFolder}` is the folder of the file, `${userHome}` the
 * home folder.
 */
function expandVariables(value, env, what, directory = process.cwd()) {
  const editor = /\$\{(?:input|command|config):[^}]*\}/.exec(value)
  if (editor) throw new Fault(`${what} needs ${editor[0]}, which only an editor can tell; use \${NAME} and the environment`)
  return value.replace(/\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_, name, otherwise) => {
    if (name === 'workspaceFolder') return directory
    if (name === 'userHome') return homedir()
    const found = env[name] ?? otherwise
    if (found === undefined) throw new Fault(`the environment has no ${name}, which ${what} needs`)
    return found
  })
}
