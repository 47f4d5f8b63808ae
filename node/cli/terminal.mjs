// What a person at a terminal sees and answers.

import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'

/** What moves the cursor, colours, turns text round or cannot be seen; line breaks and tabs may stay. */
const HIDDEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Zl}\p{Zp}\uFFF9-\uFFFB]/gu

const escaped = (character) =>
  character === '\n' || character === '\t'
    ? character
    : Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')

/** Text of a stranger for a terminal: control sequences are taken out, and what else cannot be seen is shown. */
export function plain(text) {
  return stripVTControlCharacters(String(text)).replace(/\r\n/g, '\n').replace(HIDDEN, escaped)
}

/** JSON for a terminal: the same value, with everything that cannot be seen written as an escape. */
export function plainJson(json) {
  // Outside of strings there is only white space.
  return json.replace(/\r/g, ' ').replace(HIDDEN, escaped)
}

/** Whether a person at the terminal says yes. An end of input is a no; Ctrl-C ends the program as anywhere else. */
export function confirm(question) {
  return new Promise((answered) => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr })
    terminal.once('close', () => answered(false))
    // The terminal is in raw mode, so that Ctrl-C arrives as a key.
    terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    terminal.question(question, (answer) => {
      answered(/^y(es)?$/i.test(answer.trim()))
      terminal.close()
    })
  })
}
