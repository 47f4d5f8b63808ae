// A tool's result as the text a model gets.

/**
 * An error becomes `{"error": …}`; structured content its JSON; otherwise the text parts, with a short word for
 * everything that is not text.
 */
export function resultText(result) {
  const parts = (Array.isArray(result.content) ? result.content : []).map((part) => {
    if (part?.type === 'text') return String(part.text ?? '')
    if (part?.type === 'resource' && typeof part.resource?.text === 'string') return part.resource.text
    return `[${part?.type ?? 'content'}${part?.mimeType ? ` ${part.mimeType}` : ''}]`
  })
  const text = parts.join('\n')
  if (result.isError) return JSON.stringify({ error: text || 'the tool failed without saying why' })
  if (result.structuredContent !== undefined) return JSON.stringify(result.structuredContent)
  return text
}
