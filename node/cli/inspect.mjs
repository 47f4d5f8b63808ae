// `inspect`: what a model would see, what it saves, and what a person should know.

import { EXIT } from './errors.mjs'
import { plain, plainJson } from './terminal.mjs'

export async function inspect({ set, warnings }, { locale, json }) {
  // The tokenizer's table is large: only here is it worth loading.
  const { measure } = await import('./measure.mjs')
  const measured = measure(set, locale)
  if (json) {
    const document = {
      section: set.section(locale),
      toolDefinitions: set.toolDefinitions(locale),
      servers: set.servers(),
      fingerprint: set.fingerprint,
      warnings: set.warnings,
      connectionWarnings: warnings,
      tokens: { servers: measured.servers, total: measured.total, share: measured.share },
      annotations: measured.annotations,
    }
    process.stdout.write(`${plainJson(JSON.stringify(document, null, 2))}\n`)
    return EXIT.ok
  }
  const lines = [plain(set.section(locale)?.text ?? 'no servers: the model sees nothing\n')]
  if (!set.isEmpty) lines.push(`tools: ${set.toolDefinitions(locale).map(({ name }) => name).join(', ')}\n`, table(measured))
  for (const warning of warnings) lines.push(`unavailable: ${plain(warning)}\n`)
  for (const { code, server, tool, message } of set.warnings) {
    lines.push(`warning (${code}): ${plain(`${[server, tool].filter(Boolean).join('.')}: ${message}`)}\n`)
  }
  process.stdout.write(lines.join('\n'))
  return EXIT.ok
}

/** The numbers, as a table for people. */
export function table({ servers, total, share, annotations }) {
  const rows = [
    ['', 'tools', 'FULL o200k', 'set o200k', 'FULL estimate', 'set estimate'],
    ...servers.map(({ server, tools, full, workingSet }) => [
      plain(server), tools, full.o200k, workingSet.o200k, full.estimate, workingSet.estimate,
    ]),
    [
      'all, with mcp_call and mcp_describe', total.tools, total.full.o200k, total.workingSet.o200k,
      total.full.estimate, total.workingSet.estimate,
    ],
  ].map((row) => row.map(String))
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  const lines = rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  '),
  )
  const more = share > 1 ? ': for so few tools mcp_call and mcp_describe cost more than the schemas do' : ''
  const percent = share === null ? '' : `the working set is ${(100 * share).toFixed(1)} % of FULL${more}\n`
  const { readOnly, writable, unknown } = annotations
  const coverage = `annotations: ${readOnly} read-only, ${writable} writable, ${unknown} do not say\n`
  return `tokens on every request\n${lines.join('\n')}\n${percent}${coverage}`
}
