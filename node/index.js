'use strict'

// The documented API over the native library: this file checks types, assembles objects and keeps what was asked for.
// It decides nothing.

const native = require('./native.js').load()

/** An `Error` with `code`, and `place` where there is one. */
function failure(code, message, place) {
  const error = new Error(message)
  error.code = code
  if (place) error.place = place
  return error
}

function invalid(message) {
  return failure('invalid_argument', message)
}

/** Calls the native library; its failures carry JSON. */
function guard(call) {
  try {
    return call()
  } catch (error) {
    let detail
    try {
      detail = JSON.parse(error.message)
    } catch {
      throw error
    }
    throw failure(error.code, detail.message, detail.place)
  }
}

function string(value, name) {
  if (typeof value !== 'string') throw invalid(`${name} must be a string, not ${kindOf(value)}`)
  return value
}

function optionalString(value, name) {
  return value === undefined || value === null ? undefined : string(value, name)
}

function kindOf(value) {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value
}

/** JSON text of a value that JSON can hold. */
function json(value, name) {
  if (value === null || typeof value !== 'object') throw invalid(`${name} must be an object, not ${kindOf(value)}`)
  try {
    return JSON.stringify(value)
  } catch (error) {
    throw invalid(`${name} cannot be written as JSON: ${error.message}`)
  }
}

/** JSON text, bytes of it, or a value to be written as JSON. */
function document(value, name) {
  if (typeof value === 'string' || value instanceof Uint8Array) return value
  return json(value, name)
}

function freeze(value) {
  if (value !== null && typeof value === 'object') {
    Object.values(value).forEach(freeze)
    Object.freeze(value)
  }
  return value
}

/** Keeps what a native method answers for a locale, parsed and frozen: a set never changes. */
class Kept {
  #answers = new Map()

  get(key, ask) {
    let answer = this.#answers.get(key)
    if (answer === undefined) {
      answer = freeze(JSON.parse(guard(ask)))
      this.#answers.set(key, answer)
    }
    return answer
  }
}

const MODES = ['LOCAL', 'CLOUD']
const LEVELS = ['READ_ONLY', 'READ_WRITE', 'SMART', 'PROXY', 'FULL']
const LOCALES = ['zh-CN', 'en']
/** How many contexts have such bits, and how many places in a text a quick plan can tell. */
const CONTEXTS = 64
const OFFSETS = 2 ** 18

const nothing = (value) => value === undefined || value === null

/** A context in a few bits, where it holds nothing else; −1 where it does: the core reads that as JSON. */
function contextBits(context) {
  if (nothing(context)) return -1
  const { executionMode, permissionLevel, validate, locale, trust, rules, denyTokens } = context
  if (!nothing(context.matchedRule) || !nothing(context.sessionId) || !nothing(context.maxCallBytes)) return -1
  if (!nothing(rules) && rules.length !== 0) return -1
  if (!nothing(denyTokens) && denyTokens.length !== 0) return -1
  if (!nothing(trust) && trust !== 'all') return -1
  const mode = MODES.indexOf(executionMode)
  const level = nothing(permissionLevel) ? 0 : LEVELS.indexOf(permissionLevel)
  const language = nothing(locale) ? 0 : LOCALES.indexOf(locale)
  const checks = nothing(validate) || validate === true ? 1 : validate === false ? 0 : -1
  if (mode < 0 || level < 0 || language < 0 || checks < 0) return -1
  return mode | (level << 1) | (language << 4) | (checks << 5)
}

const NEW = Symbol('new')

class WorkingSet {
  #native
  #kept = new Kept()
  #plans = new Map()

  /** Use {@link WorkingSet.fromJson} or {@link WorkingSet.from}. */
  constructor(token, set) {
    if (token !== NEW) throw invalid('use WorkingSet.fromJson or WorkingSet.from')
    this.#native = set
  }

  static fromJson(text) {
    if (typeof text === 'string') {
      return new WorkingSet(NEW, guard(() => native.NativeWorkingSet.fromText(text)))
    }
    if (text instanceof Uint8Array) {
      return new WorkingSet(NEW, guard(() => native.NativeWorkingSet.fromBytes(text)))
    }
    throw invalid(`the document must be a string or a Uint8Array, not ${kindOf(text)}`)
  }

  static from(input) {
    return WorkingSet.fromJson(json(input, 'the input'))
  }

  get isEmpty() {
    return this.#native.serverCount === 0
  }

  get serverCount() {
    return this.#native.serverCount
  }

  get toolCount() {
    return this.#native.toolCount
  }

  get fingerprint() {
    return this.#native.fingerprint()
  }

  get warnings() {
    return this.#kept.get('warnings', () => this.#native.warnings())
  }

  servers() {
    return this.#kept.get('servers', () => this.#native.servers())
  }

  section(locale) {
    const wanted = optionalString(locale, 'locale')
    return this.#kept.get(`section ${wanted}`, () => this.#native.section(wanted))
  }

  toolDefinitions(locale, loadMode) {
    const wanted = optionalString(locale, 'locale')
    const mode = optionalString(loadMode, 'mode')
    return this.#kept.get(`definitions ${mode} ${wanted}`, () => this.#native.toolDefinitions(wanted, mode))
  }

  fullToolDefinitions() {
    return this.#kept.get('full definitions', () => this.#native.fullToolDefinitions())
  }

  describe(argumentsJson, locale, { compact = false } = {}) {
    const given = string(argumentsJson, 'argumentsJson')
    const wanted = optionalString(locale, 'locale')
    return guard(() => (compact ? this.#native.describeCompact(given, wanted) : this.#native.describe(given, wanted)))
  }

  planCall(argumentsJson, context) {
    const given = string(argumentsJson, 'argumentsJson')
    const bits = contextBits(context)
    if (bits >= 0) {
      const number = this.#native.planQuickly(given, bits)
      if (number >= 0) return this.#quickPlan(given, context, bits, number)
    }
    return this.#fullPlan(given, context)
  }

  #fullPlan(given, context) {
    return JSON.parse(guard(() => this.#native.planCall(given, json(context, 'context'))))
  }

  /** Everything of such a plan but the arguments is the same each time, and was said once by the core. */
  #quickPlan(given, context, bits, number) {
    const end = number % OFFSETS
    const start = Math.floor(number / OFFSETS) % OFFSETS
    const key = Math.floor(number / (OFFSETS * OFFSETS)) * CONTEXTS + bits
    let same = this.#plans.get(key)
    if (same === undefined) {
      same = this.#fullPlan(given, context)
      freeze(same.decision)
      this.#plans.set(key, same)
    }
    return {
      kind: 'execute',
      route: same.route,
      server: same.server,
      tool: same.tool,
      serverId: same.serverId,
      toolName: same.toolName,
      fullToolName: same.fullToolName,
      argumentsJson: end === 0 ? '{}' : given.slice(start, end),
      checked: same.checked,
      decision: same.decision,
      repairs: [],
    }
  }

  lintRules(rules, { denyTokens, locale } = {}) {
    return JSON.parse(guard(() => this.#native.lintRules(json({ rules, denyTokens, locale }, 'rules'))))
  }
}

function restoreFullToolName(argumentsJson) {
  return native.restoreFullToolName(string(argumentsJson, 'argumentsJson')) ?? null
}

function effectiveToolName(toolName, argumentsJson) {
  return native.effectiveToolName(string(toolName, 'toolName'), string(argumentsJson, 'argumentsJson')) ?? null
}

function fullToolName(server, tool) {
  return native.fullToolName(string(server, 'server'), string(tool, 'tool'))
}

function parseFullToolName(name) {
  const parts = native.parseFullToolName(string(name, 'name'))
  return parts ? { server: parts[0], tool: parts[1] } : null
}

function decideApproval(request) {
  return JSON.parse(guard(() => native.decideApproval(json(request, 'request'))))
}

function matchRules(rules, request) {
  const { rule, why, code } = JSON.parse(guard(() => native.matchRules(json({ rules, request }, 'rules'))))
  return { rule, why, code }
}

function summarize(toolName, argumentsJson, result, locale) {
  return (
    guard(() =>
      native.summarize(
        optionalString(toolName, 'toolName'),
        optionalString(argumentsJson, 'argumentsJson'),
        optionalString(result, 'result'),
        optionalString(locale, 'locale'),
      ),
    ) ?? null
  )
}

function toolDisplayName(name, locale) {
  return guard(() => native.toolDisplayName(string(name, 'name'), optionalString(locale, 'locale'))) ?? null
}

function toolInputPreview(name, input, locale) {
  const text = input === null || input === undefined || typeof input === 'string' ? input : json(input, 'input')
  return guard(() => native.toolInputPreview(string(name, 'name'), text ?? undefined, optionalString(locale, 'locale')))
}

function callPreview(argumentsJson, { toolName, maxLines, maxWidth, locale } = {}) {
  return JSON.parse(
    guard(() =>
      native.callPreview(
        string(argumentsJson, 'argumentsJson'),
        optionalString(toolName, 'toolName'),
        maxLines,
        maxWidth,
        optionalString(locale, 'locale'),
      ),
    ),
  )
}

class CallPreview {
  #native

  constructor(toolName) {
    this.#native = new native.CallPreview(string(toolName, 'toolName'))
  }

  push(piece) {
    this.#native.push(string(piece, 'piece'))
  }

  preview(locale) {
    return guard(() => this.#native.preview(optionalString(locale, 'locale')))
  }

  summary(locale) {
    return guard(() => this.#native.summary(optionalString(locale, 'locale'))) ?? null
  }

  get server() {
    return this.#native.server ?? null
  }

  get tool() {
    return this.#native.tool ?? null
  }
}

function resolveLoadMode({ user, global } = {}) {
  return JSON.parse(native.resolveLoadMode(optionalString(user, 'user'), optionalString(global, 'global')))
}

function parseLoadMode(value) {
  return guard(() => native.parseLoadMode(typeof value === 'string' ? value : kindOf(value)))
}

function parseLocalReport(report, expectedServers = []) {
  const text = document(report, 'the report')
  return JSON.parse(guard(() => native.parseLocalReport(Buffer.from(text), json(expectedServers, 'expectedServers'))))
}

function cloudConnectResult(servers, outcomes) {
  return JSON.parse(guard(() => native.cloudConnectResult(json({ servers, outcomes }, 'the outcomes'))))
}

function normalizeInputSchema(schema) {
  return JSON.parse(native.normalizeInputSchema(JSON.stringify(schema) ?? 'null'))
}

function validateArguments(schema, args) {
  const text = typeof args === 'string' ? args : json(args, 'args')
  return JSON.parse(guard(() => native.validateArguments(json(schema, 'schema'), text)))
}

function estimateTokens(text) {
  return native.estimateTokens(string(text, 'text'))
}

const { SECTION_KEY, SECTION_LABEL, MCP_CALL, MCP_DESCRIBE } = native
const { version } = require('./package.json')

// Written out name by name, so that Node's reader of CommonJS exports finds each of them.
module.exports.WorkingSet = WorkingSet
module.exports.CallPreview = CallPreview
module.exports.restoreFullToolName = restoreFullToolName
module.exports.effectiveToolName = effectiveToolName
module.exports.fullToolName = fullToolName
module.exports.parseFullToolName = parseFullToolName
module.exports.decideApproval = decideApproval
module.exports.matchRules = matchRules
module.exports.summarize = summarize
module.exports.toolDisplayName = toolDisplayName
module.exports.toolInputPreview = toolInputPreview
module.exports.callPreview = callPreview
module.exports.resolveLoadMode = resolveLoadMode
module.exports.parseLoadMode = parseLoadMode
module.exports.createLoadModeResolver = require('./load-mode.js')(resolveLoadMode)
module.exports.parseLocalReport = parseLocalReport
module.exports.cloudConnectResult = cloudConnectResult
module.exports.normalizeInputSchema = normalizeInputSchema
module.exports.validateArguments = validateArguments
module.exports.estimateTokens = estimateTokens
module.exports.SECTION_KEY = SECTION_KEY
module.exports.SECTION_LABEL = SECTION_LABEL
module.exports.MCP_CALL = MCP_CALL
module.exports.MCP_DESCRIBE = MCP_DESCRIBE
module.exports.version = version
