// Written by hand, for a reader. Every name is the core's; this package translates and decides nothing.

/** The language of texts; `zh-CN` is the default everywhere. Codes, names and keys are the same in both. */
export type Locale = 'zh-CN' | 'en'

export type LoadMode = 'WORKING_SET' | 'FULL'
export type ExecutionMode = 'LOCAL' | 'CLOUD'

/**
 * What a function of this package throws: a mistake of the host. `code` is stable (`invalid_json`, `invalid_document`,
 * `invalid_utf8`, `too_large`, `invalid_locale`, `invalid_load_mode`, `invalid_execution_mode`, `invalid_argument`);
 * what a model or a person should hear is never thrown but returned.
 */
export interface HostError extends Error {
  code: string
  /** `path` such as `tools[3].toolName`, empty for the whole document; line and column count from 1, columns in bytes. */
  place?: { path: string; line: number; column: number }
}

// ---------------------------------------------------------------------------------------------------- the set

/** An MCP server of one session. Unknown fields are ignored. */
export interface ServerInput {
  /** Within ±(2⁵³ − 1); 0, null or absent when the host has none. */
  id?: number | null
  name: string
  description?: string | null
}

/** MCP `ToolAnnotations`. Only the booleans `true` and `false` say anything. */
export interface ToolAnnotations {
  readOnlyHint?: unknown
  destructiveHint?: unknown
  idempotentHint?: unknown
  openWorldHint?: unknown
  [other: string]: unknown
}

/** A tool of a server. It belongs to the server with its `serverId`, else to the one with its `serverName`. */
export interface ToolInput {
  serverId?: number | null
  serverName?: string | null
  toolName: string
  description?: string | null
  /** JSON Schema; `{}` when absent. */
  inputSchema?: unknown
  annotations?: ToolAnnotations | null
  [other: string]: unknown
}

/** Why a server is unavailable. A server that is not among `servers` is listed all the same. */
export interface ConnectionErrorInput {
  serverId?: number | null
  serverName?: string | null
  reason?: string | null
  kind?: 'failed' | 'cancelled' | 'not_reported' | null
}

export interface WorkingSetInput {
  servers: ServerInput[]
  tools: ToolInput[]
  connectionErrors?: ConnectionErrorInput[] | null
}

/** Something a person should know about the input. `code` is the contract, `message` is English and for a log. */
export interface Warning {
  code:
    | 'invalid_name'
    | 'unknown_server'
    | 'schema_not_checked'
    | 'duplicate_server_id'
    | 'duplicate_server'
    | 'duplicate_server_name'
    | 'duplicate_tool'
    | 'ambiguous_full_name'
    | 'unroutable_name'
    | 'contradictory_hints'
    | 'invalid_entry'
    | (string & {})
  server?: string
  tool?: string
  message: string
}

export interface ServerEntry {
  id: number
  /** The real name. */
  name: string
  /** What the model calls it: the name, or `name#id` where another server keeps the name. */
  address: string
  description: string | null
  available: boolean
  kind: 'failed' | 'cancelled' | 'not_reported' | null
  /** Why it is unavailable, on one line. */
  reason: string | null
  tools: ToolEntry[]
}

export interface ToolEntry {
  name: string
  description: string
  /** It counts as read-only for a host that trusts its server. */
  readOnly: boolean
  /** What it says of itself; `unknown` also when it contradicts itself. */
  hint: 'read_only' | 'writable' | 'unknown'
  fullToolName: string
  /** The desktop takes the full name apart into this server and tool. */
  routable: boolean
  /** SHA-256 of its definition, in hex: store it with a rule that allows the tool. */
  fingerprint: string
}

/** A section of the system prompt. */
export interface Section {
  key: string
  label: string
  /** Ends with one line break. */
  text: string
  /** A quarter of the UTF-8 bytes, rounded up. */
  tokens: number
}

export interface ToolDefinition {
  name: string
  description: string
  inputSchema: Record<string, unknown>
}

/**
 * The servers and tools of one session: immutable, and the same for every order of the input. What it returns is
 * frozen and kept: asking again costs nothing.
 */
export class WorkingSet {
  private constructor()
  /**
   * From one JSON document `{servers, tools, connectionErrors}`, fastest as bytes.
   * @throws {HostError} `invalid_utf8`, `invalid_json`, `invalid_document`, `too_large`
   */
  static fromJson(document: string | Uint8Array): WorkingSet
  /** The same from objects at hand. @throws {HostError} */
  static from(input: WorkingSetInput): WorkingSet
  /** Neither servers nor connection errors: no section, no tool definitions. */
  readonly isEmpty: boolean
  readonly serverCount: number
  readonly toolCount: number
  /** SHA-256, in hex, of what the model sees and what decides; equal across processes, languages and input orders. */
  readonly fingerprint: string
  readonly warnings: readonly Warning[]
  /**
   * One warning, `schema_not_checked`, for each tool whose schema cannot be used to check arguments, with the reason; for
   * telling somebody once. Such a tool can be called all the same. Compiles every schema, some hundred microseconds each.
   */
  schemaWarnings(): readonly Warning[]
  /** In order: by name, then id; tools by name. */
  servers(): readonly ServerEntry[]
  /** The section for the system prompt; null when the set is empty. */
  section(locale?: Locale): Section | null
  /** `mcp_call` and `mcp_describe`; nothing when the set is empty or the mode is FULL. */
  toolDefinitions(locale?: Locale, mode?: LoadMode): readonly ToolDefinition[]
  /** What FULL mode injects: every tool under its full name, with its schema as providers accept it. */
  fullToolDefinitions(): readonly ToolDefinition[]
  /**
   * The answer to a call of `mcp_describe`: JSON text, with `inputSchema` exactly as the session has it; or, compact,
   * with `schema`, a text of about 200 tokens at most.
   */
  describe(argumentsJson: string, locale?: Locale, options?: { compact?: boolean }): string
  /** What to do with a call of `mcp_call`. Never throws for what the model wrote. @throws {HostError} for a bad context */
  planCall(argumentsJson: string, context: CallContext): Plan
  /** Which stored rules cannot cover a call in this set, and what they were probably meant for. @throws {HostError} */
  lintRules(rules: Rule[], options?: { denyTokens?: string[] | null; locale?: Locale | null }): RuleFinding[]
}

// ---------------------------------------------------------------------------------------------------- calls

export interface CallContext {
  executionMode: ExecutionMode
  /** `READ_ONLY`, `READ_WRITE`, `SMART`, `PROXY`, `FULL`; anything else is `READ_ONLY`. */
  permissionLevel?: string | null
  /** The rule the host found in its database; it counts only where its value equals the full name. */
  matchedRule?: { ruleId: number | string; ruleValue: string; toolFingerprint?: string | null; enabled?: boolean | null } | null
  rules?: Rule[] | null
  /** Tokens that void rules and hints. */
  denyTokens?: string[] | null
  /** For rules that count in one session only. */
  sessionId?: string | null
  /** Which servers are trusted to say that a tool only reads; all of them by default, or a list of ids. */
  trust?: 'all' | 'none' | number[] | null
  /** Whether arguments are checked against the tool's schema; true by default. */
  validate?: boolean | null
  locale?: Locale | null
  /** The largest text of a call that is read, in bytes; 4 MiB by default. */
  maxCallBytes?: number | null
}

export type RefusalCode =
  | 'invalid_json'
  | 'invalid_arguments'
  | 'unknown_server'
  | 'unknown_tool'
  | 'ambiguous_name'
  | 'server_unavailable'
  | 'empty_tool_list'
  | 'unroutable_name'
  | 'schema_violation'

/** Why arguments were not checked. */
export type NotChecked =
  | 'no_validation'
  | 'schema_too_large'
  | 'schema_unusable'
  | 'remote_reference'
  | 'arguments_unreadable'
  | 'pattern_too_slow'
  | 'too_complex'
  | (string & {})

/** Heed the decision, then run it. */
export interface ExecutePlan {
  kind: 'execute'
  route: ExecutionMode
  /** The server's address. */
  server: string
  tool: string
  serverId: number
  /** What the executor is given: in CLOUD the tool's own name, in LOCAL the full name. */
  toolName: string
  fullToolName: string
  /** The tool's own arguments: the text of one JSON object, byte for byte as the model wrote it unless `repairs` says otherwise. */
  argumentsJson: string
  /** The arguments were found to satisfy the tool's schema. */
  checked: boolean
  /** Why they could not be checked, where that was asked for; that does not block the call. */
  unchecked?: NotChecked
  decision: Decision
  /** What was put right to understand the call, as codes. */
  repairs: string[]
}

/** Run nothing; `resultJson` is what the model gets. */
export interface RefusePlan {
  kind: 'refuse'
  code: RefusalCode
  resultJson: string
  fullToolName: string | null
  decision: Decision
}

export type Plan = ExecutePlan | RefusePlan

export interface Decision {
  outcome: 'allow' | 'ask_user' | 'ask_model'
  needApproval: boolean
  basis: 'level' | 'annotation' | 'rule' | 'cloud' | 'not_mcp' | 'default' | 'unrestorable'
  /** One sentence for the person who is asked, or for the log. */
  reason: string
  /** Query rules in a database only when this is true. */
  rulesApply: boolean
  ruleId?: number | string
  /** The rule that "always allow" would store; null where none may be offered. */
  hint: { ruleType: 'MCP_TOOL'; ruleValue: string; label: string } | null
  toolFingerprint?: string
}

/** `mcp__{server}__{tool}` of the call that this text is; null when it is no call. */
export function restoreFullToolName(argumentsJson: string): string | null
/** For `mcp_call` the restored name or null; every other name unchanged. */
export function effectiveToolName(toolName: string, argumentsJson: string): string | null
/** `mcp__{server}__{tool}`. */
export function fullToolName(server: string, tool: string): string
/** Takes a full name apart at the first `__` after the prefix, as the desktop does. */
export function parseFullToolName(name: string): { server: string; tool: string } | null

// ---------------------------------------------------------------------------------------------------- approval

/** What a host with a dispatcher of its own asks. */
export interface ApprovalRequest {
  executionMode: ExecutionMode
  permissionLevel?: string | null
  /** The effective name; null when it could not be restored. */
  toolName: string | null
  /** Where the descriptor says the tool comes from; `mcp` makes it an MCP tool whatever its name. */
  source?: string | null
  annotations?: ToolAnnotations | null
  /** True by default. */
  trusted?: boolean | null
  toolFingerprint?: string | null
  matchedRule?: CallContext['matchedRule']
  rules?: Rule[] | null
  denyTokens?: string[] | null
  sessionId?: string | null
  locale?: Locale | null
}

/** Decides for a host with a dispatcher of its own. @throws {HostError} for a bad request */
export function decideApproval(request: ApprovalRequest): Decision

/** A stored rule. Rules of other types and scopes are passed over. */
export interface Rule {
  id: number | string
  scope: 'SESSION' | 'USER' | (string & {})
  sessionId?: string | null
  ruleType: 'MCP_TOOL' | (string & {})
  ruleValue: string
  enabled: boolean
  /** The definition it was made for; then it covers no other. */
  toolFingerprint?: string | null
}

/** Something about a stored rule that its owner should know. */
export interface RuleFinding {
  ruleId: number | string
  ruleValue: string
  code:
    | 'invalid_name'
    | 'unknown_server'
    | 'unknown_tool'
    | 'cut_name'
    | 'too_long'
    | 'ambiguous_name'
    | 'unroutable_name'
    | 'server_unavailable'
    | 'definition_changed'
    | 'denied'
    | (string & {})
  /** The nearest full name of the set, or the one that was cut; the value itself where it is one. */
  nearest: string | null
  message: string
}

/** The rule that covers a call, or why none does: in words, and as a code. */
export function matchRules<R extends Rule>(
  rules: R[],
  request: {
    fullToolName: string
    toolFingerprint?: string | null
    sessionId?: string | null
    denyTokens?: string[] | null
    locale?: Locale | null
  },
): {
  rule: R | null
  why: string
  code: 'no_rule' | 'disabled' | 'other_session' | 'definition_not_known' | 'definition_changed' | 'denied' | 'session_rule' | 'user_rule' | (string & {})
}

// ---------------------------------------------------------------------------------------------------- display

/** One line for a log or a history; null for tools that are not MCP tools. */
export function summarize(
  toolName: string | null,
  argumentsJson?: string | null,
  result?: string | null,
  locale?: Locale,
): string | null
/** The name on a tool card; null for tools that are not MCP tools. */
export function toolDisplayName(name: string, locale?: Locale): string | null
/** `server.tool`, `server` while only that can be read, else empty; `input` may be cut off anywhere. */
export function toolInputPreview(name: string, input: string | object | null, locale?: Locale): string

export interface CallPreviewOptions {
  /** Default `mcp_call`. Give the plan's full name with the plan's arguments to show real names after a repair. */
  toolName?: string
  /** 1 to 100, default 12. */
  maxLines?: number
  /** In grapheme clusters, 40 to 400, default 100. */
  maxWidth?: number
  locale?: Locale
}

/** A call laid out for the person who is to approve it: safe to print, secrets masked, nothing left out unsaid. */
export function callPreview(
  argumentsJson: string,
  options?: CallPreviewOptions,
): { title: string; lines: string[]; omitted: number }

/** The preview of a call whose arguments stream in; linear in their length, and they are not kept. */
export class CallPreview {
  constructor(toolName: string)
  /** Takes the next piece, cut anywhere, also inside a surrogate pair. */
  push(piece: string): void
  /** What `toolInputPreview` says so far. */
  preview(locale?: Locale): string
  /** What `summarize` says so far. */
  summary(locale?: Locale): string | null
  /** The name itself, once it was read to its end. */
  readonly server: string | null
  readonly tool: string | null
}

// ---------------------------------------------------------------------------------------------------- load mode

/** Which mode is in force: the user's if valid, else the global one if valid, else `WORKING_SET`. */
export function resolveLoadMode(stored: { user?: string | null; global?: string | null }): {
  mode: LoadMode
  source: 'user' | 'global' | 'default'
  warning?: string
}
/** Reads `WORKING_SET` or `FULL`, exactly. @throws {HostError} `invalid_load_mode` */
export function parseLoadMode(value: unknown): LoadMode

export interface LoadModeResolverOptions {
  loadUser: (userId: number) => Promise<string | null | undefined> | string | null | undefined
  loadGlobal: () => Promise<string | null | undefined> | string | null | undefined
  /** How long an answer is kept; 5000 by default. */
  ttlMs?: number
  /** The clock, in milliseconds. */
  now?: () => number
  onWarning?: (message: string) => void
}

/**
 * Asks two stores, keeps each user's answer for a short time, and loads at most once per user at a time. A store that
 * fails gives the default with a warning, and that answer is not kept.
 */
export function createLoadModeResolver(options: LoadModeResolverOptions): (userId: number | null) => Promise<LoadMode>

// ---------------------------------------------------------------------------------------------------- reports

export interface ConnectionError {
  serverId: number | null
  serverName: string
  reason: string
  kind: 'failed' | 'cancelled' | 'not_reported'
}

/** A tool in the form that `WorkingSet.from` takes. */
export type ReportedTool = {
  serverId: number
  serverName: string
  toolName: string
  description: string
  inputSchema: unknown
  annotations: { readOnlyHint?: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint?: boolean }
}

/** Reads the report of a desktop or terminal client; no server of it, and none that is expected, vanishes. @throws {HostError} */
export function parseLocalReport(
  report: string | Uint8Array | object,
  expectedServers?: { id?: number | null; name: string }[],
): { tools: ReportedTool[]; connectionErrors: ConnectionError[]; warnings: Warning[] }

export type Outcome = { serverId?: number | null; serverName?: string | null } & (
  | { status: 'connected'; tools: unknown[] }
  | { status: 'failed'; reason?: string | null }
  | { status: 'cancelled'; reason?: string | null }
)

/** Brings together how connecting to servers went; `warnings` are texts for people. @throws {HostError} */
export function cloudConnectResult(
  servers: ServerInput[],
  outcomes: Outcome[],
): {
  tools: ReportedTool[]
  connectionErrors: ConnectionError[]
  failedServers: { serverId: number | null; serverName: string; reason: string }[]
  cancelledServers: { serverId: number | null; serverName: string; reason: string }[]
  warnings: string[]
}

// ---------------------------------------------------------------------------------------------------- schemas

/** The schema as providers accept it: an object type with `properties`, no null types. */
export function normalizeInputSchema(schema: unknown): Record<string, unknown>
/** Checks arguments against a schema; `checked` is false where that cannot be done, which blocks nothing. */
export function validateArguments(
  schema: object,
  args: object | string,
): {
  checked: boolean
  unchecked?: NotChecked
  /** At most 5, one for each place (a JSON Pointer), the most useful first. */
  violations: { path: string; message: string; expected: string; got: string; suggestion?: string }[]
}

/** A quarter of the UTF-8 bytes, rounded up. */
export function estimateTokens(text: string): number

export const SECTION_KEY: 'mcp-workingset'
export const SECTION_LABEL: 'MCP 工作集'
export const MCP_CALL: 'mcp_call'
export const MCP_DESCRIBE: 'mcp_describe'
export const version: string
