'use strict'

// Which load mode is in force for a user: a short cache over two stores. The decision is the core's.

/** No store is asked for more users than this at a time; the oldest answers are forgotten first. */
const MAX_CACHED_USERS = 10_000

/**
 * @param {(stored: {user?: string | null, global?: string | null}) => {mode: string, warning?: string}} resolveLoadMode
 */
module.exports = (resolveLoadMode) =>
  /** @type {import('./index').createLoadModeResolver} */
  function createLoadModeResolver({ loadUser, loadGlobal, ttlMs = 5000, now = Date.now, onWarning = () => {} }) {
    /** @type {Map<number | null, {mode: 'WORKING_SET' | 'FULL', at: number}>} */
    const cache = new Map()
    /** @type {Map<number | null, Promise<'WORKING_SET' | 'FULL'>>} */
    const inFlight = new Map()

    /** The mode is known without a clock and without a listener: when these fail it is only not kept, or not told. */
    function time() {
      try {
        return now()
      } catch {
        return NaN
      }
    }

    function warn(message) {
      try {
        onWarning(message)
      } catch {
        // Whoever listens has a fault of its own.
      }
    }

    /** A clock that was set back makes an answer old as well. */
    function isFresh({ at }) {
      const age = time() - at
      return age >= 0 && age < ttlMs
    }

    function remember(userId, mode) {
      cache.delete(userId)
      cache.set(userId, { mode, at: time() })
      if (cache.size > MAX_CACHED_USERS) cache.delete(cache.keys().next().value)
    }

    async function load(userId) {
      let resolved
      try {
        const [user, global] = await Promise.all([userId === null ? null : loadUser(userId), loadGlobal()])
        resolved = resolveLoadMode({ user, global })
      } catch (error) {
        // Not kept: the store may be back at the next question.
        const { mode } = resolveLoadMode({})
        warn(`the load mode could not be read, ${mode} is used: ${error instanceof Error ? error.message : error}`)
        return mode
      }
      if (resolved.warning) warn(resolved.warning)
      remember(userId, resolved.mode)
      return resolved.mode
    }

    return async (userId) => {
      const key = userId ?? null
      const cached = cache.get(key)
      if (cached && isFresh(cached)) return cached.mode
      let loading = inFlight.get(key)
      if (!loading) {
        loading = load(key).finally(() => inFlight.delete(key))
        inFlight.set(key, loading)
      }
      return loading
    }
  }
