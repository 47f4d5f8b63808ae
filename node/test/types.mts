// Compiled, never run: uses every exported name as index.d.ts promises it.

import * as api from 'mcp-working-set'
import type { CallContext, Decision, HostError, Plan, Rule, WorkingSetInput } from 'mcp-working-set'

const input: WorkingSetInput = {
  servers: [{ id: 1, name: 'fs', description: null }],
  tools: [{ serverId: 1, serverName: 'fs', toolName: 'x', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
  connectionErrors: [{ serverId: null, serverName: 'b', reason: 'r', kind: 'cancelled' }],
}
const set: api.WorkingSet = api.WorkingSet.from(input)
api.WorkingSet.fromJson(new Uint8Array()) satisfies api.WorkingSet
// @ts-expect-error: sets are made by the two functions above
new api.WorkingSet()
// @ts-expect-error: what a set answers is frozen
set.warnings.push({ code: 'invalid_name', message: '' })

const numbers: number[] = [set.serverCount, set.toolCount, set.section()?.tokens ?? 0, api.estimateTokens('')]
const texts: string[] = [set.fingerprint, set.describe('{}', 'en'), api.fullToolName('a', 'b'), api.version, api.toolInputPreview('mcp_call', null)]
const orNull: (string | null)[] = [
  api.restoreFullToolName(''),
  api.effectiveToolName('', ''),
  api.summarize(null),
  api.toolDisplayName('', 'zh-CN'),
  api.parseFullToolName('')?.tool ?? null,
]
const flags: boolean[] = [set.isEmpty, ...set.servers().flatMap((server) => server.tools.map((tool) => tool.routable && tool.readOnly))]
const rule: Rule = { id: 1, scope: 'USER', ruleType: 'MCP_TOOL', ruleValue: 'mcp__a__b', enabled: true }
const context: CallContext = { executionMode: 'LOCAL', permissionLevel: null, rules: [rule], trust: [1] }
const plan: Plan = set.planCall('{}', context)
if (plan.kind === 'execute') texts.push(plan.toolName, plan.argumentsJson, ...plan.repairs)
else texts.push(plan.resultJson, plan.code, plan.fullToolName ?? '')
const decision: Decision = api.decideApproval({ executionMode: 'CLOUD', toolName: null })
const matched: Rule | null = api.matchRules([rule], { fullToolName: 'x' }).rule
const mode: api.LoadMode = api.parseLoadMode(api.resolveLoadMode({ user: null }).mode)
const resolver: (userId: number | null) => Promise<api.LoadMode> = api.createLoadModeResolver({
  loadUser: async (userId) => String(userId),
  loadGlobal: () => null,
  ttlMs: 1,
  now: Date.now,
  onWarning: (message) => texts.push(message),
})
const report = api.parseLocalReport({}, [{ id: 1, name: 'a' }])
const cloud = api.cloudConnectResult([{ name: 'a' }], [{ serverId: 1, status: 'cancelled' }])
api.WorkingSet.from({ servers: [], tools: [...report.tools, ...cloud.tools], connectionErrors: report.connectionErrors })
const preview = new api.CallPreview(api.MCP_CALL)
preview.push('')
orNull.push(preview.server, preview.tool, preview.summary(), preview.preview())
const card: { title: string; lines: string[]; omitted: number } = api.callPreview('{}', { maxLines: 3 })
const schema: Record<string, unknown> = api.normalizeInputSchema(null)
const check: boolean = api.validateArguments(schema, '{}').checked
const error = new Error() as HostError
texts.push(error.code, error.place?.path ?? '', api.SECTION_KEY, api.SECTION_LABEL, api.MCP_DESCRIBE)
export { card, check, decision, flags, matched, mode, numbers, orNull, resolver, set, texts }
export const definitions = [...set.toolDefinitions('en', 'FULL'), ...set.fullToolDefinitions()]
