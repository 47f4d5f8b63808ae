// `call`: plans a call, shows the decision and why, asks where it says so, and runs what the plan says.

import { MCP_CALL, callPreview, parseFullToolName, summarize } from '../index.mjs'
import { EXIT, UsageError } from './errors.mjs'
import { resultText } from './result.mjs'
import { confirm, plain, plainJson } from './terminal.mjs'

export async function call(session, options, server, tool, argumentsText = '{}') {
  const trust = readTrust(options.trust, session.set)
  // As a model would write it, so that whatever is wrong with the arguments is said as the model would hear it.
  const argumentsJson = `{"server":${JSON.stringify(server)},"tool":${JSON.stringify(tool)},"arguments":${argumentsText}}`
  const report = await callOnce(session, argumentsJson, { ...options, trust }, ask(options))
  if (options.json) process.stdout.write(`${plainJson(JSON.stringify(report, null, 2))}\n`)
  else process.stdout.write(`${show(report)}\n`)
  return report.exitCode
}

/**
 * One call from the model's text to its result.
 * @param {(report: object) => Promise<boolean>} consent  asks a person
 */
export async function callOnce(session, argumentsJson, { mode, level, trust, locale }, consent) {
  const context = { executionMode: mode, permissionLevel: level, trust, locale }
  const plan = session.set.planCall(argumentsJson, context)
  const finish = (exitCode, result, approved) => ({
    argumentsJson,
    plan,
    approved,
    result,
    // By its real name where there is one.
    summary: summarize(plan.kind === 'execute' ? plan.fullToolName : MCP_CALL, argumentsJson, result, locale),
    exitCode,
  })
  if (plan.kind === 'refuse') return finish(EXIT.refused, plan.resultJson, false)
  const card = callPreview(plan.argumentsJson, { toolName: plan.fullToolName, locale })
  if (plan.decision.needApproval && !(await consent({ plan, card }))) {
    return finish(EXIT.notApproved, JSON.stringify({ error: 'the user did not consent to this call' }), false)
  }
  // LOCAL routes by full name, as the desktop does; CLOUD by the server's id.
  const target =
    plan.route === 'LOCAL'
      ? ((parts) => [{ name: parts.server }, parts.tool])(parseFullToolName(plan.toolName))
      : [{ id: plan.serverId }, plan.toolName]
  let result
  try {
    result = resultText(await session.callTool(...target, plan.argumentsJson))
  } catch (error) {
    result = JSON.stringify({ error: error.message })
  }
  return finish(isError(result) ? EXIT.toolError : EXIT.ok, result, true)
}

function isError(result) {
  try {
    return (JSON.parse(result)?.error ?? null) !== null
  } catch {
    return false
  }
}

/** A report as lines for people. */
export function show({ plan, approved, result, summary }) {
  const { decision } = plan
  const lines =
    plan.kind === 'execute'
      ? [`plan      execute ${plain(`${plan.server}.${plan.tool} (${plan.route}: ${plan.toolName})`)}`, `arguments ${plainJson(plan.argumentsJson)}`]
      : [`plan      refuse: ${plan.code}`]
  if (plan.repairs?.length > 0) lines.push(`repairs   ${plain(plan.repairs.join(', '))}`)
  lines.push(`decision  ${decision.outcome} (${decision.basis}): ${plain(decision.reason)}`)
  if (decision.needApproval && plan.kind === 'execute') lines.push(`consent   ${approved ? 'given' : 'not given'}`)
  lines.push(`result    ${plain(result)}`, `summary   ${plain(summary)}`)
  return lines.join('\n')
}

function ask({ yes }) {
  return async ({ plan, card }) => {
    if (yes) return true
    if (!process.stdin.isTTY || !process.stderr.isTTY) {
      console.error(`consent is needed (${plain(plan.decision.reason)}); there is no terminal to ask on, and no --yes`)
      return false
    }
    const lines = [card.title, ...card.lines.map((line) => `  ${line}`), plan.decision.reason]
    return confirm(`${plain(lines.join('\n'))}\nRun it? [y/N] `)
  }
}

function readTrust(text, set) {
  if (text === 'all' || text === 'none') return text
  return text.split(',').map((name) => {
    const server = set.servers().find((one) => one.address === name.trim())
    if (!server) throw new UsageError(`--trust: there is no server "${name.trim()}"`)
    return server.id
  })
}
