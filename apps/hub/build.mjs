/** Production build: the pages by Next, the server as one bundle. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { build } from 'esbuild'
import { loadedLate, oneLanguage, requireBanner, required } from '../../scripts/lib/setup/bundle.mjs'

const here = import.meta.dirname
const next = path.resolve(here, '../../node_modules/next/dist/bin/next')
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }

if (!process.argv.includes('--server-only')) {
  const pages = spawnSync(process.execPath, [next, 'build'], { cwd: here, stdio: 'inherit', env })
  if (pages.status !== 0) process.exit(pages.status ?? 1)
}

await build({
  entryPoints: {
    server: path.join(here, 'src/server.ts'),
    'audit-check': path.join(here, 'src/audit-check.ts'),
    recover: path.join(here, 'src/recover.ts'),
  },
  outdir: path.join(here, 'dist'),
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
  // Everything else is inside: a start that looks up some hundred files takes a second more. Outside stay native modules,
  // and what loads files of its own by their place.
  external: ['next', '@prisma/client/runtime/*.mjs'],
  plugins: [
    oneLanguage,
    required(/^(better-sqlite3|@node-rs\/argon2|pino|@prisma\/client\/runtime\/client)$/),
    loadedLate('@simplewebauthn/server', [
      'generateAuthenticationOptions',
      'generateRegistrationOptions',
      'verifyAuthenticationResponse',
      'verifyRegistrationResponse',
    ]),
  ],
  banner: requireBanner,
})
