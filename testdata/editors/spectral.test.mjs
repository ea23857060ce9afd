// The ruleset in the real Spectral finds what idemgen lint finds, for the rules
// that it covers: on every document under testdata/lint, line by line.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import test from 'node:test'
import { idemgen, root } from './idemgen.mjs'

function documents() {
  const folder = path.join(root, 'testdata/lint')
  return readdirSync(folder, { recursive: true })
    .filter((name) => path.basename(name) === 'openapi.yaml')
    .map((name) => path.join('testdata/lint', name))
    .sort()
}

function spectral(ruleset, files) {
  const run = spawnSync(
    path.join(root, 'testdata/editors/node_modules/.bin/spectral'),
    ['lint', '--quiet', '--format', 'json', '--ruleset', ruleset, ...files],
    { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 },
  )
  assert.ok(run.status === 0 || run.status === 1, run.stderr)
  return JSON.parse(run.stdout)
}

test('Spectral finds what lint finds', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'idemgen-'))
  try {
    const text = idemgen('schema', 'spectral')
    const ruleset = path.join(folder, 'idempotency.spectral.json')
    writeFileSync(ruleset, text)
    const covered = Object.keys(JSON.parse(text).rules).map((name) => name.replace('idemgen-', ''))
    const files = documents()
    assert.ok(files.length > 20, 'the test looks in the wrong place')

    // Spectral reads each document once, and says once where several things
    // are wrong with one value.
    const lines = (list) => [...new Set(list)].sort()
    const found = lines(
      spectral(ruleset, files).filter((f) => f.code.startsWith('idemgen-')).map((f) => `${path.relative(root, f.source)}:${f.range.start.line + 1} ${f.code.replace('idemgen-', '')}`),
    )
    const wanted = lines(
      files.flatMap((file) => JSON.parse(idemgen('lint', '--format', 'json', file)))
        .filter((f) => covered.includes(f.rule))
        .map((f) => `${f.file}:${f.line} ${f.rule}`),
    )
    assert.deepEqual(found, wanted)
    assert.deepEqual([...new Set(wanted.map((line) => line.split(' ')[1]))].sort(), covered.sort(), 'every rule is broken somewhere')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
