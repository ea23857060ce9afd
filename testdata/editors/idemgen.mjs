// Runs the idemgen that the tests are about: IDEMGEN, which make builds.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export function idemgen(...args) {
  const { stdout, stderr, status, error } = spawnSync(process.env.IDEMGEN ?? 'idemgen', args, {
    cwd: root, encoding: 'utf8', maxBuffer: 1 << 28,
  })
  if (error) throw error
  if (status > 1) throw new Error(`idemgen ${args.join(' ')}: ${stderr}`)
  return stdout
}
