// What npm would publish installs into an empty folder and works there, without a compiler.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const shell = process.platform === 'win32'

test('npm pack gives a package that works', { timeout: 240_000 }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mcp-working-set-pack-'))
  // No compiler is to be found there.
  const env = { ...process.env, CC: 'false', CARGO: 'false', RUSTC: 'false' }
  const run = (command, ...args) => execFileSync(command, args, { cwd: folder, encoding: 'utf8', env, shell, stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    // The library is there already; packing does not have to build it.
    const [{ filename, files }] = JSON.parse(
      execFileSync(npm, ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: root, encoding: 'utf8', shell }),
    )
    const packed = files.map((file) => file.path)
    for (const file of ['index.js', 'index.mjs', 'index.d.ts', 'README.md', 'bin/mcp-working-set.mjs', 'cli/bundled.json']) {
      assert.ok(packed.includes(file), file)
    }
    assert.ok(packed.some((file) => file.endsWith('.node')))
    assert.ok(!packed.some((file) => /^(test|bench|demo|scripts|npm)\//.test(file)), packed.join('\n'))

    writeFileSync(path.join(folder, 'package.json'), '{"private": true}')
    run(npm, 'install', '--no-audit', '--no-fund', '--prefer-offline', `./${filename}`)
    const use = "const s = WorkingSet.from({servers: [{name: 'a'}], tools: []}); process.stdout.write(s.section('en').text)"
    const required = run(process.execPath, '-e', `const { WorkingSet } = require('mcp-working-set'); ${use}`)
    const imported = run(process.execPath, '--input-type=module', '-e', `import { WorkingSet } from 'mcp-working-set'; ${use}`)
    assert.match(required, /### a\n\(no tools\)\n$/)
    assert.equal(imported, required)

    const server = fileURLToPath(import.meta.resolve('./servers/paged.mjs'))
    writeFileSync(path.join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { paged: { command: process.execPath, args: [server] } } }))
    const shown = JSON.parse(run(shell ? 'npx.cmd' : 'npx', 'mcp-working-set', 'inspect', '--json', '--config', 'mcp.json'))
    assert.equal(shown.servers[0].tools.length, 7)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
