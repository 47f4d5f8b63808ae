'use strict'

// Finds the native library: the one beside this file, else the package for this platform.

const { existsSync, readdirSync } = require('node:fs')
const path = require('node:path')

/** The platforms that a library can be built for, by the name of its package. */
const PLATFORMS = [
  'darwin-arm64',
  'darwin-x64',
  'linux-arm64-gnu',
  'linux-arm64-musl',
  'linux-x64-gnu',
  'linux-x64-musl',
  'win32-x64-msvc',
]

/** Which C library Node runs on. No process is started for it: the report or the loader's file tells. */
function libc() {
  try {
    const report = process.report?.getReport()
    if (report?.header?.glibcVersionRuntime) return 'gnu'
    if (report?.sharedObjects?.some((file) => /ld-musl-|libc\.musl-/.test(file))) return 'musl'
  } catch {
    // A report can be forbidden; the files below tell as well.
  }
  return existsSync('/lib') && readdirSync('/lib').some((file) => file.startsWith('ld-musl-')) ? 'musl' : 'gnu'
}

/** The name of this platform, such as `linux-x64-gnu`. */
function platformName() {
  const { platform, arch } = process
  if (platform === 'linux') return `linux-${arch}-${libc()}`
  if (platform === 'win32') return `win32-${arch}-msvc`
  return `${platform}-${arch}`
}

/** Loads the library, or says which platform this is and what was tried. */
function load(requireFrom = require, directory = __dirname) {
  const name = platformName()
  const places = [path.join(directory, `mcp-working-set.${name}.node`), `mcp-working-set-${name}`]
  const failures = []
  for (const place of places) {
    try {
      return requireFrom(place)
    } catch (error) {
      failures.push(`  ${place}: ${String(error.message).split('\n')[0]}`)
    }
  }
  const supported = PLATFORMS.includes(name)
    ? 'Packages for it exist: was this one installed with --no-optional, or on another machine?'
    : `It can be built from source with Rust; packages exist for ${PLATFORMS.join(', ')}.`
  const error = new Error(`mcp-working-set has no native library for ${name}. ${supported} Tried:\n${failures.join('\n')}`)
  error.code = 'native_library_missing'
  throw error
}

module.exports = { PLATFORMS, load, platformName }
