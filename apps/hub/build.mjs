/** Production build: the pages by Next, the server as one bundle. Packages from the registry stay external. */
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
  entryPoints: [path.join(here, 'src/server.ts')],
  outfile: path.join(here, 'dist/server.js'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  plugins: [
    {
      // Our own packages and the generated database client are source and go into the bundle; the rest stays outside.
      name: 'external-registry-packages',
      setup(b) {
        b.onResolve({ filter: /^[^./]/ }, (args) =>
          args.path.startsWith('@roundhouse/') || path.isAbsolute(args.path) ? undefined : { path: args.path, external: true },
        )
      },
    },
  ],
})
