/** Production build: the pages by Next, the server as one bundle. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { build } from 'esbuild'

const here = import.meta.dirname
const next = path.resolve(here, '../../node_modules/next/dist/bin/next')
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }

if (!process.argv.includes('--server-only')) {
  const pages = spawnSync(process.execPath, [next, 'build'], { cwd: here, stdio: 'inherit', env })
  if (pages.status !== 0) process.exit(pages.status ?? 1)
}

await build({
  entryPoints: [
    path.join(here, 'src/server.ts'),
    path.join(here, 'src/audit-check.ts'),
    path.join(here, 'src/recover.ts'),
  ],
  outdir: path.join(here, 'dist'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
  // Everything else is inside: a start that looks up some hundred files takes a second more. Outside stay native modules,
  // and what loads files of its own by their place.
  external: ['next', 'better-sqlite3', '@node-rs/argon2', 'pino', '@prisma/client/runtime/*'],
  banner: {
    // CommonJS inside of the bundle (the WebSocket server) asks for Node's own modules by require.
    js: "import { createRequire as roundhouseRequire } from 'node:module';const require = roundhouseRequire(import.meta.url);",
  },
})
