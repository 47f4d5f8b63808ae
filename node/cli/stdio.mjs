// A stdio transport whose server can be ended for certain: it gets a process group of its own, so that a launcher's
// children go with it. The SDK's own transport ends the launcher only.

import { spawn, spawnSync } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'

/** How long a server may take to end by itself once its input is closed, and again once it is told to, in ms. */
const GRACE_MS = 1000

const WINDOWS = process.platform === 'win32'

/** Servers that run now, so that none outlives this process. */
const running = new Set()

process.on('exit', () => {
  for (const child of running) signal(child, 'SIGKILL')
})

function signal(child, name) {
  try {
    if (WINDOWS) spawnSync('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore' })
    else process.kill(-child.pid, name)
  } catch {
    // The whole group has ended.
  }
}

export class StdioTransport {
  #server
  #finish
  #child
  #ended
  #exit
  #buffer = new ReadBuffer()
  #stderr = ''
  onmessage
  onclose
  onerror

  /** @param {{command: string, args?: string[], env?: Record<string, string>, cwd?: string}} server
   *  @param {(message: string) => string} [finish]  a last look at each message before it is written */
  constructor(server, finish = (message) => message) {
    this.#server = server
    this.#finish = finish
  }

  start() {
    const { command, args = [], env, cwd } = this.#server
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        env: { ...getDefaultEnvironment(), ...env },
        cwd,
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: !WINDOWS,
        windowsHide: true,
        // npx and the like are scripts there.
        shell: WINDOWS,
      })
      this.#child = child
      this.#ended = new Promise((ended) => child.once('close', (code, signal) => ended((this.#exit = signal ?? code))))
      child.once('spawn', () => {
        running.add(child)
        resolve()
      })
      child.on('error', (error) => {
        reject(error)
        this.onerror?.(error)
      })
      child.once('close', () => this.onclose?.())
      child.stdin.on('error', (error) => this.onerror?.(error))
      child.stdout.on('data', (chunk) => this.#read(chunk))
      child.stderr.on('data', (chunk) => {
        this.#stderr = (this.#stderr + chunk).slice(-4096)
      })
    })
  }

  /** The last line the server wrote to its standard error. */
  get lastStderrLine() {
    return stripVTControlCharacters(this.#stderr).split(/[\r\n]+/).filter((line) => line.trim()).at(-1)?.trim()
  }

  /** The exit code, or the signal, with which the server has ended; nothing while it runs. */
  get exit() {
    return this.#exit
  }

  #read(chunk) {
    try {
      this.#buffer.append(chunk)
    } catch (error) {
      // A message beyond all bounds: nothing behind it can be trusted.
      this.onerror?.(error)
      void this.close()
      return
    }
    for (;;) {
      let message
      try {
        message = this.#buffer.readMessage()
      } catch (error) {
        // A line that is no message, such as a greeting; the next one may be.
        this.onerror?.(error)
        continue
      }
      if (message === null) return
      this.onmessage?.(message)
    }
  }

  send(message) {
    return new Promise((resolve, reject) => {
      this.#child.stdin.write(this.#finish(serializeMessage(message)), (error) => (error ? reject(error) : resolve()))
    })
  }

  /** Closes the server's input, then asks it to end, then ends it with all it started. */
  async close() {
    const child = this.#child
    if (!child?.pid || !running.has(child)) return
    child.stdin.end()
    const ended = () => Promise.race([this.#ended.then(() => true), delay(GRACE_MS).then(() => false)])
    if (!(await ended())) {
      signal(child, 'SIGTERM')
      await ended()
    }
    // Also where the server itself has ended: something it started may not have.
    signal(child, 'SIGKILL')
    running.delete(child)
  }
}

function delay(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
