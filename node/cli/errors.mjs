// What ends the command line, and with which exit code.

/** Exit codes, as `--help` lists them. */
export const EXIT = { ok: 0, toolError: 1, usage: 2, refused: 3, notApproved: 4, noServer: 5 }

/** A mistake in the command or in a configuration: said in one sentence, without a stack. */
export class UsageError extends Error {
  exitCode = EXIT.usage
}
