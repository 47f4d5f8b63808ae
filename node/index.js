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

const nothing = (value) => value === undefined || value === null

function string(value, name) {
  if (typeof value !== 'string') throw invalid(`${name} must be a string, not ${kindOf(value)}`)
  return value
}

function optionalString(value, name) {
  return nothing(value) ? undefined : string(value, name)
}

function optionalCount(value, name) {
  if (nothing(value)) return undefined
  if (!Number.isInteger(value) || value < 0 || value >= 2 ** 32) throw invalid(`${name} must be a whole number`)
  return value
}

function options(value) {
  if (nothing(value)) return {}
  if (typeof value !== 'object') throw invalid(`the options must be an object, not ${kindOf(value)}`)
  return value
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
  return value instanceof Uint8Array || typeof value === 'string' ? value : json(value, name)
}

/** Data is nested no deeper than this in what decides. */
const MAX_NESTING = 32

/**
 * What a value says, read once. Unlike JSON.stringify it leaves nothing out that it cannot write and asks no `toJSON`:
 * a mistrust or a deny token that got lost on the way would allow more.
 */
function said(value, name, depth = 0) {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value !== 'object' || depth === MAX_NESTING) {
    throw invalid(`${name} must be something that JSON can hold, not ${typeof value === 'number' ? value : kindOf(value)}`)
  }
  if (Array.isArray(value)) return Array.from(value, (item, index) => said(item, `${name}[${index}]`, depth + 1) ?? null)
  const copy = Object.create(null)
  for (const key in value) copy[key] = said(value[key], `${name}.${key}`, depth + 1)
  return copy
}

/** The fields of an object that the core knows, wherever they come from: its own, inherited, or of a getter. */
function fields(value, names, name) {
  if (value === null || typeof value !== 'object') throw invalid(`${name} must be an object, not ${kindOf(value)}`)
  return Object.fromEntries(names.map((field) => [field, value[field]]))
}

const RULE = ['id', 'scope', 'sessionId', 'ruleType', 'ruleValue', 'enabled', 'toolFingerprint']
const MATCHED_RULE = ['ruleId', 'ruleValue', 'toolFingerprint', 'enabled']
const ANNOTATIONS = ['readOnlyHint', 'destructiveHint']
const MATCH = ['fullToolName', 'toolFingerprint', 'sessionId', 'denyTokens', 'locale']
const REQUEST = [
  'executionMode',
  'permissionLevel',
  'toolName',
  'source',
  'annotations',
  'trusted',
  'toolFingerprint',
  'matchedRule',
  'rules',
  'denyTokens',
  'sessionId',
  'locale',
]

function rulesSaid(rules) {
  if (!Array.isArray(rules)) return said(rules, 'rules')
  return Array.from(rules, (rule, index) => said(fields(rule, RULE, `rules[${index}]`), `rules[${index}]`))
}

/** A context or request, once its fields were read, as the JSON that the core decides by. */
function decidingJson(read, name) {
  const { rules, matchedRule, annotations, ...plain } = read
  const part = (value, names, partName) =>
    nothing(value) || typeof value !== 'object' ? said(value, partName) : said(fields(value, names, partName), partName)
  return JSON.stringify({
    ...said(plain, name),
    rules: rulesSaid(rules),
    matchedRule: part(matchedRule, MATCHED_RULE, 'matchedRule'),
    annotations: part(annotations, ANNOTATIONS, 'annotations'),
  })
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

/** The fields of a context, each read once: what is decided by is what is remembered by. */
function readContext(context) {
  if (context === null || typeof context !== 'object') throw invalid(`context must be an object, not ${kindOf(context)}`)
  const { executionMode, permissionLevel, matchedRule, rules, denyTokens, sessionId, trust, validate, locale, maxCallBytes } = context
  return { executionMode, permissionLevel, matchedRule, rules, denyTokens, sessionId, trust, validate, locale, maxCallBytes }
}

const none = (list) => nothing(list) || (Array.isArray(list) && list.length === 0)

/** A context in a few bits, where it holds nothing else; −1 where it does: the core reads that as JSON. */
function contextBits(context) {
  const { executionMode, permissionLevel, validate, locale, trust } = context
  if (!nothing(context.matchedRule) || !nothing(context.sessionId) || !nothing(context.maxCallBytes)) return -1
  if (!none(context.rules) || !none(context.denyTokens)) return -1
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
  #planQuickly
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

  schemaWarnings() {
    return this.#kept.get('schema warnings', () => this.#native.schemaWarnings())
  }

  servers() {
    return this.#kept.get('servers', () => this.#native.servers())
  }

  section(locale) {
    const wanted = optionalString(locale, 'locale')
    return this.#kept.get(wanted === undefined ? 'section' : `section ${wanted}`, () => this.#native.section(wanted))
  }

  toolDefinitions(locale, loadMode) {
    const wanted = optionalString(locale, 'locale')
    const mode = optionalString(loadMode, 'mode')
    return this.#kept.get(JSON.stringify(['definitions', mode, wanted]), () => this.#native.toolDefinitions(wanted, mode))
  }

  fullToolDefinitions() {
    return this.#kept.get('full definitions', () => this.#native.fullToolDefinitions())
  }

  describe(argumentsJson, locale, how) {
    const given = string(argumentsJson, 'argumentsJson')
    const wanted = optionalString(locale, 'locale')
    const compact = options(how).compact === true
    return guard(() => (compact ? this.#native.describeCompact(given, wanted) : this.#native.describe(given, wanted)))
  }

  planCall(argumentsJson, context) {
    const given = string(argumentsJson, 'argumentsJson')
    const read = readContext(context)
    const bits = contextBits(read)
    if (bits >= 0) {
      this.#planQuickly ??= this.#native.quickPlanner()
      const number = this.#planQuickly(given, bits)
      if (number >= 0) return this.#quickPlan(given, read, bits, number)
    }
    return this.#fullPlan(given, read)
  }

  #fullPlan(given, read) {
    return JSON.parse(guard(() => this.#native.planCall(given, decidingJson(read, 'context'))))
  }

  /** Everything of such a plan but the arguments is the same each time, and was said once by the core. */
  #quickPlan(given, read, bits, number) {
    const end = number % OFFSETS
    const start = Math.floor(number / OFFSETS) % OFFSETS
    const key = Math.floor(number / (OFFSETS * OFFSETS)) * CONTEXTS + bits
    let same = this.#plans.get(key)
    if (same === undefined) {
      same = this.#fullPlan(given, read)
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

  lintRules(rules, how) {
    const { denyTokens, locale } = options(how)
    const document = decidingJson({ rules, denyTokens, locale }, 'options')
    return JSON.parse(guard(() => this.#native.lintRules(document)))
  }
}

function restoreFullToolName(argumentsJson) {
  return native.restoreFullToolName(string(argumentsJson, 'argumentsJson')) ?? null
}

/** A name that is no Unicode text is nobody's: written otherwise it could be another's. */
function isName(value, name) {
  return string(value, name).isWellFormed()
}

function effectiveToolName(toolName, argumentsJson) {
  const text = string(argumentsJson, 'argumentsJson')
  return isName(toolName, 'toolName') ? (native.effectiveToolName(toolName, text) ?? null) : null
}

function fullToolName(server, tool) {
  if (!isName(server, 'server') || !isName(tool, 'tool')) throw invalid('server and tool must be well-formed Unicode')
  return native.fullToolName(server, tool)
}

function parseFullToolName(name) {
  const parts = isName(name, 'name') ? native.parseFullToolName(name) : null
  return parts ? { server: parts[0], tool: parts[1] } : null
}

function decideApproval(request) {
  const document = decidingJson(fields(request, REQUEST, 'request'), 'request')
  return JSON.parse(guard(() => native.decideApproval(document)))
}

function matchRules(rules, request) {
  const numbered = Array.isArray(rules) ? rulesSaid(rules).map((rule, at) => ({ ...rule, at })) : rulesSaid(rules)
  const document = JSON.stringify({ rules: numbered, request: said(fields(request, MATCH, 'request'), 'request') })
  const { rule, why, code } = JSON.parse(guard(() => native.matchRules(document)))
  return { rule: rule && rules[rule.at], why, code }
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

function callPreview(argumentsJson, how) {
  const { toolName, maxLines, maxWidth, locale } = options(how)
  return JSON.parse(
    guard(() =>
      native.callPreview(
        string(argumentsJson, 'argumentsJson'),
        optionalString(toolName, 'toolName'),
        optionalCount(maxLines, 'maxLines'),
        optionalCount(maxWidth, 'maxWidth'),
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

/** A stored value of any type: what is no text is no load mode either, and is named as what it is. */
function stored(value) {
  return nothing(value) || typeof value === 'string' ? (value ?? undefined) : kindOf(value)
}

function resolveLoadMode(values) {
  const { user, global } = options(values)
  return JSON.parse(native.resolveLoadMode(stored(user), stored(global)))
}

function parseLoadMode(value) {
  return guard(() => native.parseLoadMode(typeof value === 'string' ? value : kindOf(value)))
}

function parseLocalReport(report, expectedServers = []) {
  const text = document(report, 'the report')
  return JSON.parse(guard(() => native.parseLocalReport(text, json(expectedServers, 'expectedServers'))))
}

function cloudConnectResult(servers, outcomes) {
  return JSON.parse(guard(() => native.cloudConnectResult(json({ servers, outcomes }, 'the outcomes'))))
}

function normalizeInputSchema(schema) {
  const text = schema !== null && typeof schema === 'object' ? json(schema, 'schema') : 'null'
  return JSON.parse(native.normalizeInputSchema(text))
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
