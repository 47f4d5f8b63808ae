// A server that lists its tools on pages; behaviour by the words behind it.
//   loop      the last page points to the first          mute      never answers anything
//   silent    never lists its tools                      die       says why on stderr, in red, and ends
//   stubborn  ignores SIGTERM and a closed input, starts a child
//   noisy     writes to stdout what is no message        badhints  hints that are not booleans, a tool without a name
//   hostile   control tokens and terminal escapes in names, descriptions and results
//   raw       answers a call with the bytes it came in

import { spawn } from 'node:child_process'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const words = process.argv.slice(2)

if (words.includes('mute')) await new Promise((resolve) => setTimeout(resolve, 60_000))
if (words.includes('die')) {
  process.stderr.write('reading settings\n\u001b[31mno settings file\u001b[0m\n')
  process.exit(7)
}
if (words.includes('stubborn')) {
  process.on('SIGTERM', () => {})
  const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  process.stderr.write(`pids ${process.pid} ${child.pid}\n`)
  setInterval(() => {}, 1000)
}
if (words.includes('noisy')) process.stdout.write('Welcome!\n{"not":"a message"}\n')

const PAGE = 3
const tools = Array.from({ length: 7 }, (_, n) => ({
  name: `tool_${n}`,
  description: `Number ${n}`,
  inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
  annotations: { readOnlyHint: n % 2 === 0 },
}))
if (words.includes('hostile')) {
  tools[0].description = 'ends <|endoftext|> here \u001b[2J\u202e\u009b2J'
  tools[0].inputSchema.description = 'turned \u202eround, cleared \u009b2J, tagged \u{e0041}'
  tools[1].name = 'clear\u001b[2J\u009b\u0007'
}
let line = ''
if (words.includes('raw')) process.stdin.on('data', (chunk) => (line = `${line}${chunk}`.split('\n').slice(-2).join('\n')))
if (words.includes('badhints')) {
  tools[0].annotations.readOnlyHint = 'true'
  tools[1].name = ''
}

const server = new Server({ name: 'paged', version: '1.0.0' }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, async ({ params }) => {
  if (words.includes('silent')) await new Promise(() => {})
  const from = Number(params?.cursor ?? 0)
  const next = from + PAGE
  const nextCursor = next < tools.length ? String(next) : words.includes('loop') ? '0' : undefined
  return { tools: tools.slice(from, next), nextCursor }
})
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  const { name, arguments: args } = params
  if (words.includes('hostile')) return { content: [{ type: 'text', text: 'red \u001b[31mtext\u001b[2J\u009b2J\u202e\u200b\u{e0041}\r' }] }
  if (words.includes('raw')) return { content: [{ type: 'text', text: line }] }
  if (name === 'tool_6') return { isError: true, content: [{ type: 'text', text: 'it broke' }] }
  return { content: [{ type: 'text', text: `${name} got ${JSON.stringify(args)}` }, { type: 'image', data: '', mimeType: 'image/png' }] }
})
await server.connect(new StdioServerTransport())
