// The resolver over two stores: expiry, concurrent callers, failing stores, invalid values.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLoadModeResolver } from '../index.mjs'

function stores(user, global) {
  const calls = { user: 0, global: 0 }
  const warnings = []
  let time = 1_000_000
  return {
    calls,
    warnings,
    advance: (ms) => (time += ms),
    set: (value) => (user = value),
    resolver: createLoadModeResolver({
      loadUser: async (id) => {
        calls.user++
        return typeof user === 'function' ? user(id) : user
      },
      loadGlobal: async () => {
        calls.global++
        return typeof global === 'function' ? global() : global
      },
      now: () => time,
      onWarning: (message) => warnings.push(message),
    }),
  }
}

test('the user before the global setting before the default', async () => {
  assert.equal(await stores('FULL', 'working_set').resolver(1), 'FULL')
  assert.equal(await stores(null, ' Full ').resolver(1), 'FULL')
  assert.equal(await stores(undefined, null).resolver(1), 'WORKING_SET')
})

test('without a user only the global setting counts', async () => {
  const { resolver, calls } = stores('FULL', 'working_set')
  assert.equal(await resolver(null), 'WORKING_SET')
  assert.deepEqual(calls, { user: 0, global: 1 })
})

test('an answer is kept until it is too old', async () => {
  const { resolver, calls, advance, set } = stores('FULL', null)
  assert.equal(await resolver(1), 'FULL')
  set('WORKING_SET')
  advance(4999)
  assert.equal(await resolver(1), 'FULL')
  assert.equal(calls.user, 1)
  advance(1)
  assert.equal(await resolver(1), 'WORKING_SET')
  assert.equal(calls.user, 2)
})

test('users are kept apart', async () => {
  const { resolver } = stores((id) => (id === 1 ? 'FULL' : 'WORKING_SET'), null)
  assert.deepEqual(await Promise.all([resolver(1), resolver(2), resolver(1)]), ['FULL', 'WORKING_SET', 'FULL'])
})

test('one load per user is in flight', async () => {
  let release
  const gate = new Promise((resolve) => (release = resolve))
  const { resolver, calls } = stores(() => gate, null)
  const asked = [resolver(1), resolver(1), resolver(2), resolver(1)]
  release('FULL')
  assert.deepEqual(await Promise.all(asked), ['FULL', 'FULL', 'FULL', 'FULL'])
  assert.equal(calls.user, 2)
})

test('a store that fails gives the default, a warning, and is asked again', async () => {
  let broken = true
  const failing = () => {
    if (broken) throw new Error('no database')
    return 'FULL'
  }
  for (const [user, global] of [[failing, null], [null, failing]]) {
    broken = true
    const { resolver, warnings } = stores(user, global)
    assert.equal(await resolver(1), 'WORKING_SET')
    assert.match(warnings[0], /no database/)
    broken = false
    assert.equal(await resolver(1), 'FULL')
    assert.equal(warnings.length, 1)
  }
})

test('a store may fail before it returns a promise', async () => {
  const warnings = []
  const resolver = createLoadModeResolver({
    loadUser: () => {
      throw new Error('at once')
    },
    loadGlobal: () => 'full',
    onWarning: (message) => warnings.push(message),
  })
  assert.equal(await resolver(1), 'WORKING_SET')
  assert.match(warnings[0], /at once/)
})

test('an invalid value falls through with one warning', async () => {
  const { resolver, warnings } = stores('working', 'full')
  assert.equal(await resolver(1), 'FULL')
  assert.equal(await resolver(1), 'FULL')
  assert.equal(warnings.length, 1)
})

test('a value of another type is an invalid value too', async () => {
  for (const value of [5, true, {}, [], 5n, Symbol('x'), () => 'FULL']) {
    const { resolver, warnings } = stores(() => value, 'full')
    assert.deepEqual([await resolver(1), await resolver(1), warnings.length], ['FULL', 'FULL', 1])
  }
  assert.equal(await stores(null, () => 1).resolver(1), 'WORKING_SET')
})

test('a listener or a clock with a fault of its own changes no answer', async () => {
  const failing = () => {
    throw new Error('a fault')
  }
  for (const loadUser of [failing, () => 'HALF', () => 'FULL']) {
    for (const now of [failing, () => NaN, Date.now]) {
      const resolver = createLoadModeResolver({ loadUser, loadGlobal: () => null, onWarning: failing, now })
      assert.equal(await resolver(1), loadUser !== failing && loadUser() === 'FULL' ? 'FULL' : 'WORKING_SET')
    }
  }
})

test('a clock that was set back keeps nothing longer', async () => {
  const { resolver, calls, advance } = stores('FULL', null)
  await resolver(1)
  advance(-900_000)
  await resolver(1)
  assert.equal(calls.user, 2)
})
