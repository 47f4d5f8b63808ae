// Connects to the configured servers, all at once, and asks each for its tools.

import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { WorkingSet, cloudConnectResult, version } from '../index.mjs'
import { StdioTransport } from './stdio.mjs'
import { Verbatim } from './verbatim.mjs'

/** At most this many servers are connected to at the same time. */
const MAX_CONCURRENT = 16
/** Signals that end this process. The servers are no part of its terminal's group: a hang-up reaches them only from here. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** How long a server over HTTP may take to end its session, in ms. */
const GOODBYE_MS = 1000
/** A server that lists more pages than this, or one page twice, is cut off. */
const MAX_PAGES = 1000

/**
 * @typedef {object} Session
 * @property {WorkingSet} set
 * @property {string[]} warnings
 * @property {(server: {id?: number, name?: string}, tool: string, argumentsJson: string) => Promise<object>} callTool
 * @property {() => Promise<void>} close
 */

/**
 * @param {import('./config.mjs').ServerConfig[]} configs
 * @param {{timeoutMs: number, onProgress?: (done: number, all: number, name: string) => void}} options
 * @returns {Promise<Session>}
 */
export async function connect(configs, { timeoutMs, onProgress = () => {} }) {
  const servers = configs.map(({ name, description }, index) => ({ id: index + 1, name, description }))
  const connections = new Map()
  const close = async () => void (await Promise.all([...connections.values()].map((one) => one.close())))
  let stopping = false
  const stop = async (signal) => {
    // The servers have a moment to end by themselves; who asks twice does not want to wait for that.
    if (!stopping) {
      stopping = true
      await close()
    }
    process.exit(128 + constants.signals[signal])
  }
  for (const signal of SIGNALS) process.on(signal, stop)

  let done = 0
  const outcomes = await inParallel(configs, MAX_CONCURRENT, async (config, index) => {
    const id = servers[index].id
    if (config.fault) return { serverId: id, status: 'failed', reason: config.fault }
    const connection = new Connection(config, timeoutMs)
    connections.set(id, connection)
    try {
      return { serverId: id, status: 'connected', tools: await connection.open() }
    } catch (error) {
      await connection.close()
      return { serverId: id, status: 'failed', reason: connection.explain(error) }
    } finally {
      onProgress(++done, configs.length, config.name)
    }
  })

  const { tools, connectionErrors, warnings } = cloudConnectResult(servers, outcomes)
  return {
    set: WorkingSet.from({ servers, tools, connectionErrors }),
    warnings,
    callTool: (server, tool, argumentsJson) => {
      const id = server.id ?? servers.find((one) => one.name === server.name)?.id
      return connections.get(id).callTool(tool, argumentsJson)
    },
    close: async () => {
      await close()
      for (const signal of SIGNALS) process.off(signal, stop)
    },
  }
}

class Connection {
  #config
  #timeoutMs
  #client = new Client({ name: 'mcp-working-set', version })
  #transport
  #verbatim = new Verbatim()

  constructor(config, timeoutMs) {
    this.#config = config
    this.#timeoutMs = timeoutMs
    this.#transport = config.url
      ? httpTransport(config, this.#fetch)
      : new StdioTransport(config, (message) => this.#verbatim.restore(message))
  }

  /** All tools of the server, as it sends them. The time-out is for everything together. */
  async open() {
    const deadline = Date.now() + this.#timeoutMs
    const left = () => ({ timeout: Math.max(1, deadline - Date.now()) })
    // The SDK's time-out begins with the first request; starting the transport may hang as well.
    await within(this.#timeoutMs, this.#client.connect(this.#transport, left()))
    if (!this.#client.getServerCapabilities()?.tools) return []
    const tools = []
    const cursors = new Set()
    for (let cursor; ; ) {
      const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } }
      // Read without a schema of our own: what a tool may look like is the core's to say.
      const page = await this.#client.request(request, ResultSchema, left())
      if (!Array.isArray(page.tools)) throw new Error('tools/list answered without a list of tools')
      for (const tool of page.tools) tools.push(tool)
      cursor = page.nextCursor
      if (cursor === undefined || cursor === null) return tools
      if (cursors.has(cursor) || cursors.size >= MAX_PAGES) throw new Error('tools/list does not come to an end')
      cursors.add(cursor)
    }
  }

  async callTool(name, argumentsJson) {
    const held = this.#verbatim.hold(argumentsJson)
    const request = { method: 'tools/call', params: { name, arguments: held } }
    try {
      return await this.#client.request(request, ResultSchema, { timeout: this.#timeoutMs })
    } finally {
      this.#verbatim.release(held)
    }
  }

  #fetch = (url, init) =>
    fetch(url, typeof init?.body === 'string' ? { ...init, body: this.#verbatim.restore(init.body) } : init)

  /** Why it failed: what was run or reached, the error, and the last line the server wrote to stderr. */
  explain(error) {
    const { command, args = [], url, shown = url ?? [command, ...args].join(' ') } = this.#config
    const why = this.#why(error)
    const last = this.#transport.lastStderrLine
    return `${why} (${shown})${last ? `; stderr: ${last}` : ''}`
  }

  /** In words that are the same each time the same thing happens. */
  #why(error) {
    const { exit } = this.#transport
    if (error.code === 'ENOENT') {
      const { cwd } = this.#config
      return cwd !== undefined && !existsSync(cwd) ? `there is no folder ${cwd} to run it in` : 'the command was not found'
    }
    if (error instanceof TimeoutError || error.code === REQUEST_TIMEOUT) return `no answer within ${this.#timeoutMs / 1000} s`
    // Whether a request or a write notices first is chance.
    if (ENDED.includes(error.code)) return exit === undefined ? 'the connection was closed' : `it ended with ${exit}`
    return [error.message, error.cause?.code ?? error.cause?.message].filter(Boolean).join(': ')
  }

  async close() {
    // A server may keep much for a session over HTTP; it need not wait for the session to grow old.
    await within(GOODBYE_MS, this.#transport.terminateSession?.() ?? Promise.resolve()).catch(() => {})
    await this.#client.close().catch(() => {})
    // The client knows the transport only once it has connected.
    await this.#transport.close().catch(() => {})
  }
}

function httpTransport({ url, headers, type }, fetch) {
  const options = { requestInit: { headers }, fetch }
  return type === 'sse' ? new SSEClientTransport(new URL(url), options) : new StreamableHTTPClientTransport(new URL(url), options)
}

/** The SDK's code for a request without an answer in time. */
const REQUEST_TIMEOUT = -32001

/** The codes of a connection that the other side has ended: the SDK's, and those of a closed pipe. */
const ENDED = [-32000, 'EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'ECONNRESET']

class TimeoutError extends Error {}

function within(ms, promise) {
  let timer
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError()), ms)
  })
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer))
}

async function inParallel(items, limit, work) {
  const results = new Array(items.length)
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const index = next++
      results[index] = await work(items[index], index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  return results
}
