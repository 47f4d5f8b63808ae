// The same objects as index.js, for import.

import api from './index.js'

export const {
  CallPreview,
  MCP_CALL,
  MCP_DESCRIBE,
  SECTION_KEY,
  SECTION_LABEL,
  WorkingSet,
  callPreview,
  cloudConnectResult,
  createLoadModeResolver,
  decideApproval,
  effectiveToolName,
  estimateTokens,
  fullToolName,
  matchRules,
  normalizeInputSchema,
  parseFullToolName,
  parseLoadMode,
  parseLocalReport,
  resolveLoadMode,
  restoreFullToolName,
  summarize,
  toolDisplayName,
  toolInputPreview,
  validateArguments,
  version,
} = api
