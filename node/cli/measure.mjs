// What the model carries on every request: all tools against the working set.

import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { estimateTokens } from '../index.mjs'

/** Tokens of a text, by o200k. What looks like a control token (`<|endoftext|>`) is text here, as it is in a request. */
export const o200k = (text) => encode(text, { disallowedSpecial: new Set() }).length

/** The tool array as OpenAI-style requests carry it. */
const toolArray = (definitions) =>
  JSON.stringify(
    definitions.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    })),
  )

/** The host's estimate for a list of tools. */
function estimatedTools(definitions) {
  const one = ({ name, description, inputSchema }) =>
    7 + [
      'function', name, description, JSON.stringify(inputSchema),
    ].reduce((sum, text) => sum + estimateTokens(text), 0)
  return definitions.length === 0 ? 0 : 12 + definitions.reduce((sum, definition) => sum + one(definition), 0)
}

/** @param {import('../index').WorkingSet} set @param {'zh-CN' | 'en'} locale */
export function measure(set, locale) {
  const text = set.section(locale)?.text ?? ''
  const definitions = set.toolDefinitions(locale)
  const full = set.fullToolDefinitions()
  const blocks = text.split(/^(?=### )/m).slice(1)
  let from = 0
  const servers = set.servers().map(({ address, available, tools }, index) => {
    const own = full.slice(from, (from += tools.length))
    return {
      server: address,
      available,
      tools: tools.length,
      full: { o200k: own.length === 0 ? 0 : o200k(toolArray(own)), estimate: estimatedTools(own) },
      workingSet: { o200k: o200k(blocks[index]), estimate: estimateTokens(blocks[index]) },
    }
  })
  const total = {
    tools: full.length,
    full: { o200k: full.length === 0 ? 0 : o200k(toolArray(full)), estimate: estimatedTools(full) },
    workingSet: {
      o200k: definitions.length === 0 ? 0 : o200k(text) + o200k(toolArray(definitions)),
      estimate: estimateTokens(text) + estimatedTools(definitions),
    },
  }
  const tools = set.servers().flatMap((server) => server.tools)
  const said = (hint) => tools.filter((tool) => tool.hint === hint).length
  return {
    servers,
    total,
    share: total.full.o200k === 0 ? null : total.workingSet.o200k / total.full.o200k,
    annotations: { readOnly: said('read_only'), writable: said('writable'), unknown: said('unknown') },
  }
}
