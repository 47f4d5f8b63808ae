// The same job as an idiomatic TypeScript backend would write it, as the yardstick: parse, build, section, plan. It does
// only what ordinary input needs: no hostile names, no repairs, no schema check. `bench.mjs` holds its text to ours.

const PREAMBLE = `## MCP 工作集
以下 MCP 工具按「server → tool」两级寻址,统一通过 mcp_call 调用。
调用前若不确定参数结构,先用 mcp_describe 查询该工具的完整 schema。
被标注为「当前不可用」的 server 请勿调用。
`

const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/** @param {{servers: object[], tools: object[], connectionErrors?: object[]}} input */
export function build({ servers, tools, connectionErrors = [] }) {
  const byId = new Map()
  for (const { id, name, description } of servers) byId.set(id, { id, name, description, reason: null, tools: new Map() })
  for (const { serverId, reason } of connectionErrors) byId.get(serverId).reason = reason
  for (const tool of tools) {
    const { toolName, annotations } = tool
    byId.get(tool.serverId)?.tools.set(toolName, {
      name: toolName,
      description: tool.description,
      inputSchema: tool.inputSchema,
      said: typeof annotations?.readOnlyHint === 'boolean' ? annotations.readOnlyHint : undefined,
      readOnly: annotations?.readOnlyHint === true && annotations.destructiveHint !== true,
    })
  }
  const ordered = [...byId.values()].sort((a, b) => byName(a, b) || a.id - b.id)
  return { ordered, byName: new Map(ordered.map((server) => [server.name, server])) }
}

export function section({ ordered }) {
  let text = PREAMBLE
  for (const server of ordered) {
    const tools = [...server.tools.values()].sort(byName)
    const readOnly = tools.filter((tool) => tool.readOnly).length
    text += `### ${server.name}`
    if (server.reason) text += `(当前不可用:${server.reason})`
    else if (tools.some((tool) => tool.said !== undefined)) text += `(只读工具 ${readOnly} 个 / 可写工具 ${tools.length - readOnly} 个)`
    text += '\n'
    if (server.description) text += `用途:${server.description.replace(/\s+/g, ' ')}\n`
    for (const tool of tools) text += `- ${tool.name}${tool.readOnly ? ' [只读]' : tool.said === false ? ' [可写]' : ''}\n`
    if (tools.length === 0) text += '(无可用工具)\n'
  }
  return { key: 'mcp-workingset', label: 'MCP 工作集', text, tokens: Math.floor((Buffer.byteLength(text) + 3) / 4) }
}

export function planCall(set, argumentsJson, { executionMode, permissionLevel }) {
  let call
  try {
    call = JSON.parse(argumentsJson)
  } catch {
    return { kind: 'refuse', code: 'invalid_json', resultJson: '{"error":"invalid JSON"}' }
  }
  const server = set.byName.get(call.server)
  if (!server) return { kind: 'refuse', code: 'unknown_server', resultJson: '{"error":"unknown server"}' }
  const tool = server.tools.get(call.tool)
  if (!tool) return { kind: 'refuse', code: 'unknown_tool', resultJson: '{"error":"unknown tool"}' }
  const fullToolName = `mcp__${server.name}__${tool.name}`
  const free = executionMode === 'CLOUD' || permissionLevel === 'FULL'
  const allowed = free || (tool.readOnly && (permissionLevel === 'READ_ONLY' || permissionLevel === 'READ_WRITE'))
  return {
    kind: 'execute',
    route: executionMode,
    server: server.name,
    tool: tool.name,
    serverId: server.id,
    toolName: executionMode === 'LOCAL' ? fullToolName : tool.name,
    fullToolName,
    argumentsJson: JSON.stringify(call.arguments ?? {}),
    decision: {
      outcome: allowed ? 'allow' : permissionLevel === 'PROXY' ? 'ask_model' : 'ask_user',
      needApproval: !allowed,
      basis: free ? 'level' : allowed ? 'annotation' : 'default',
      reason: allowed ? '只读工具' : 'MCP 工具调用需要用户确认',
    },
  }
}
