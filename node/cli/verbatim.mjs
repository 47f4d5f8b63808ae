// Sends JSON text as it stands. The SDK writes messages with JSON.stringify, which spells numbers anew, cuts long ones
// (12345678901234567890) and drops repeated keys: the server would get other arguments than those that were approved.

import { randomUUID } from 'node:crypto'

export class Verbatim {
  #texts = new Map()

  /** A value to put into a message where the text is to stand. */
  hold(text) {
    const key = randomUUID()
    // A message over stdio is one line; a raw line break in JSON is only ever white space between its tokens.
    this.#texts.set(key, text.replace(/[\r\n]/g, ' '))
    return key
  }

  /** Ends holding a text; until then a message may be written again, for a redirection. */
  release(key) {
    this.#texts.delete(key)
  }

  /** A written message with the texts held for it in their places. */
  restore(message) {
    for (const [key, text] of this.#texts) {
      message = message.split(`"${key}"`).join(text)
    }
    return message
  }
}
