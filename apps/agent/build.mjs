// Bundles the agent's programs into dist/. Each lies beside the others, since they start one another by path:
// main.js (command line and daemon), host.js (session host), reaper.js, scripted-cli.js (player of the scripted backend).
// A folder given as an argument takes the place of dist/.
import { chmodSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

const here = import.meta.dirname
const { version } = JSON.parse(readFileSync(path.join(here, 'package.json'), 'utf8'))

/** zod brings its messages in forty languages, 0.3 MB that every host would hold; these programs speak one. */
const oneLanguage = {
  name: 'one-language',
  setup(b) {
    b.onResolve({ filter: /\/locales\/index\.js$/ }, ({ path: asked, resolveDir }) => ({
      path: path.join(resolveDir, asked),
      namespace: 'one-language',
    }))
    b.onLoad({ filter: /.*/, namespace: 'one-language' }, ({ path: index }) => ({
      contents: "export { default as en } from './en.js'",
      resolveDir: path.dirname(index),
    }))
  },
}

const shared = {
  absWorkingDir: here,
  outdir: path.resolve(here, process.argv[2] ?? 'dist'),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // A native module; everything else is inside, so that a host starts fast and stays small.
  external: ['better-sqlite3'],
  sourcemap: 'linked',
  logLevel: 'warning',
  plugins: [oneLanguage],
  define: { ROUNDHOUSE_VERSION: JSON.stringify(version) },
  // CommonJS inside of the bundle (socket.io's WebSocket) asks for Node's own modules by require.
  banner: {
    js: "import { createRequire as roundhouseRequire } from 'node:module';const require = roundhouseRequire(import.meta.url);",
  },
}

// Old chunks stay: a host that runs may still load one of them.
await Promise.all([
  // Split, so that a program loads an adapter only when it needs that one.
  build({
    ...shared,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    entryPoints: { main: 'src/main.ts', host: 'src/session-host/main.ts', reaper: 'src/reaper/main.ts' },
  }),
  build({ ...shared, entryPoints: { 'scripted-cli': '../../packages/adapter-scripted/src/player/main.ts' } }),
])
chmodSync(path.join(shared.outdir, 'main.js'), 0o755)
