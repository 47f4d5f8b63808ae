// A server that lists its tools on pages; behaviour by the words behind it.
//   loop    the last page points to the first       stubborn  ignores SIGTERM and a closed input, starts a child
//   silent  never answers                           noisy     writes to stdout what is no message
//   die     says why on stderr and ends             badhints  hints that are not booleans, a tool with a broken name

import { spawn } from 'node:child_process'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const words = process.argv.slice(2)

if (words.includes('die')) {
  process.stderr.write('reading settings\nno settings file\n')
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
  if (name === 'tool_6') return { isError: true, content: [{ type: 'text', text: 'it broke' }] }
  return { content: [{ type: 'text', text: `${name} got ${JSON.stringify(args)}` }, { type: 'image', data: '', mimeType: 'image/png' }] }
})
await server.connect(new StdioServerTransport())
