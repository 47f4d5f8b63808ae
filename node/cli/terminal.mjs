// What a person at a terminal sees and answers.

import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'

/** Text of a stranger for a terminal: it must not move the cursor, clear the screen or colour anything. */
export function plain(text) {
  return stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '')
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
