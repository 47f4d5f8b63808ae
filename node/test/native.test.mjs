// The loader: what it tries, and what it says when nothing is there.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'

const { PLATFORMS, load, platformName } = createRequire(import.meta.url)('../native.js')

test('this platform has a name', () => {
  assert.ok(platformName().startsWith(`${process.platform}-${process.arch}`))
})

test('the library beside the package comes first, then the package of the platform', () => {
  const tried = []
  const library = {}
  const found = load((place) => {
    tried.push(place)
    if (tried.length === 1) throw new Error('not here')
    return library
  }, '/somewhere')
  assert.equal(found, library)
  assert.match(tried[0], /somewhere.mcp-working-set\..*\.node$/)
  assert.equal(tried[1], `mcp-working-set-${platformName()}`)
})

test('a failure says which platform this is, what was tried, and why it failed', () => {
  const requireNothing = (place) => {
    throw new Error(`cannot open ${place.length}\nRequire stack:\n- x`)
  }
  assert.throws(() => load(requireNothing, '/somewhere'), (error) => {
    assert.equal(error.code, 'native_library_missing')
    assert.ok(error.message.includes(platformName()))
    assert.ok(error.message.includes('/somewhere'))
    assert.ok(error.message.includes(`mcp-working-set-${platformName()}: cannot open`))
    assert.doesNotMatch(error.message, /Require stack/)
    return true
  })
})

test('every platform has a package to be published', () => {
  const require = createRequire(import.meta.url)
  for (const platform of PLATFORMS) {
    const manifest = require(`../npm/${platform}/package.json`)
    const [os, cpu, libc] = platform.split('-')
    assert.equal(manifest.name, `mcp-working-set-${platform}`)
    assert.equal(manifest.version, require('../package.json').version)
    assert.deepEqual([manifest.os, manifest.cpu], [[os], [cpu]])
    if (os === 'linux') assert.deepEqual(manifest.libc, [libc === 'gnu' ? 'glibc' : 'musl'])
    assert.equal(manifest.main, `mcp-working-set.${platform}.node`)
  }
})
