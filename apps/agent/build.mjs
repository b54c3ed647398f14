// Bundles the agent's programs into dist/. Each lies beside the others, since they start one another by path:
// main.js (command line and daemon), host.js (session host), reaper.js (also reads the marks of processes), look.js (looks at folders) and look-thread.js (waits for it),
// ask.js (asks a backend what it can do), tools.js (the MCP server of a session's programs), scripted-cli.js (player of the scripted backend).
// A folder given as an argument takes the place of dist/.
import { chmodSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { oneLanguage, requireBanner, required } from '../../scripts/lib/setup/bundle.mjs'

const here = import.meta.dirname
const { version } = JSON.parse(readFileSync(path.join(here, 'package.json'), 'utf8'))

const shared = {
  absWorkingDir: here,
  outdir: path.resolve(here, process.argv[2] ?? 'dist'),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  sourcemap: 'linked',
  logLevel: 'warning',
  // A native module; everything else is inside, so that a host starts fast and stays small.
  plugins: [oneLanguage, required(/^better-sqlite3$/)],
  define: { ROUNDHOUSE_VERSION: JSON.stringify(version) },
  // CommonJS inside of the bundle (socket.io's WebSocket) asks for Node's own modules by require.
  banner: requireBanner,
}

// Old chunks stay: a host that runs may still load one of them.
await Promise.all([
  // Split, so that a program loads an adapter only when it needs that one.
  build({
    ...shared,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    entryPoints: {
      main: 'src/main.ts',
      host: 'src/session-host/main.ts',
      reaper: 'src/reaper/main.ts',
      look: 'src/daemon/looks/look-main.ts',
      'look-thread': 'src/daemon/looks/look-thread.ts',
      ask: 'src/session-host/ask-main.ts',
      tools: 'src/session-tools/main.ts',
    },
  }),
  build({ ...shared, entryPoints: { 'scripted-cli': '../../packages/adapter-scripted/src/player/main.ts' } }),
])
chmodSync(path.join(shared.outdir, 'main.js'), 0o755)
