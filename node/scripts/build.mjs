// Builds the native library and puts it beside index.js. `--debug` builds without optimisation.

import { copyFileSync, renameSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const { platformName } = createRequire(import.meta.url)('../native.js')
const here = path.dirname(fileURLToPath(import.meta.url))
const checkout = path.join(here, '../..')
const profile = process.argv.includes('--debug') ? 'debug' : 'release'

const cargo = spawnSync(
  process.env.CARGO ?? 'cargo',
  ['build', '--package', 'mcp-working-set-node', '--locked', '--message-format=json-render-diagnostics', ...(profile === 'release' ? ['--release'] : [])],
  { cwd: checkout, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28 },
)
if (cargo.error) throw new Error(`cargo could not be started: ${cargo.error.message}`)
if (cargo.status !== 0) process.exit(cargo.status ?? 1)

// Cargo says where it put the library; target folders can be moved.
const built = cargo.stdout
  .split('\n')
  .filter((line) => line.startsWith('{'))
  .map((line) => JSON.parse(line))
  .filter((message) => message.reason === 'compiler-artifact' && message.target.name === 'mcp_working_set_node')
  .flatMap((message) => message.filenames)
  .find((file) => /\.(so|dylib|dll)$/.test(file))
if (!built) throw new Error('cargo built no native library')

const target = path.join(here, '..', `mcp-working-set.${platformName()}.node`)
// Renamed into place: a process that has the old library loaded keeps it whole.
copyFileSync(built, `${target}.new`)
renameSync(`${target}.new`, target)
console.log(`${path.relative(checkout, target)} (${profile})`)
