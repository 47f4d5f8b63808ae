// For a release: puts the native libraries that were built on their platforms into the packages under npm/, and makes
// the main package depend on those that are there. `node scripts/platform-packages.mjs FOLDER`, where FOLDER holds
// `mcp-working-set.PLATFORM.node` files. Not committed: without it the package carries the library beside index.js.

import { copyFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const { PLATFORMS } = createRequire(import.meta.url)('../native.js')
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = process.argv[2]
if (!folder) {
  console.error('usage: node scripts/platform-packages.mjs FOLDER')
  process.exit(2)
}

const found = PLATFORMS.filter((platform) => readdirSync(folder).includes(`mcp-working-set.${platform}.node`))
if (found.length === 0) throw new Error(`${folder} holds no library for ${PLATFORMS.join(', ')}`)
const manifestFile = path.join(root, 'package.json')
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'))
manifest.optionalDependencies = {}
for (const platform of found) {
  const library = `mcp-working-set.${platform}.node`
  copyFileSync(path.join(folder, library), path.join(root, 'npm', platform, library))
  manifest.optionalDependencies[`mcp-working-set-${platform}`] = manifest.version
}
manifest.files = manifest.files.filter((pattern) => pattern !== '*.node')
writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`)
console.log(`publish npm/{${found.join(',')}} first, then this package`)
