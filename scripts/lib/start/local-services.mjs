// The two processes of npm start and npm run dev: which command, which environment, where their logs go.
import path from 'node:path'
import { inRoot, root } from '../common/paths.mjs'
import { agentCommand, daemonFile } from './local-agent.mjs'
import { Service } from './service.mjs'

/** In development the hub's log goes to the terminal, and its sources run as they are. */
export function hubService(config, say) {
  const source = ['--import', 'tsx', inRoot('apps/hub/src/server.ts'), '--dev']
  return new Service({
    title: 'The hub',
    command: [process.execPath, ...(config.dev ? source : [inRoot('apps/hub/dist/server.js')])],
    cwd: root,
    env: {
      ...process.env,
      NODE_ENV: config.dev ? 'development' : 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      PORT: String(config.port),
      HOST: config.host,
      ROUNDHOUSE_DATA_DIR: config.dataDir,
      ROUNDHOUSE_LOCAL_ENROLLMENT: '1',
    },
    logFile: config.dev ? null : path.join(config.dataDir, 'hub.log'),
    readyFile: path.join(config.dataDir, 'hub.json'),
    say,
  })
}

// A person who runs npm start as root has decided that for the agent too; the agent would refuse by itself.
const asRoot = process.getuid?.() === 0

export function agentService(config, say) {
  if (asRoot) say('Running as root: programs of sessions can change everything on this machine.')
  return new Service({
    title: 'The local agent',
    command: agentCommand('up', ...(config.ownSessions ? ['--own-sessions'] : []), ...(asRoot ? ['--allow-root'] : [])),
    cwd: root,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      ROUNDHOUSE_AGENT_HOME: config.agentHome,
      // The agent keeps its programs away from the hub's own files as well (POL-4).
      ROUNDHOUSE_DATA_DIR: config.dataDir,
    },
    logFile: path.join(config.agentHome, 'agent.log'),
    readyFile: daemonFile(config.agentHome),
    isReady: (facts) => facts.connected === true,
    mayBeLate: true,
    // ALREADY_RUNNING
    standsBack: {
      3: `Another agent runs with the folder ${config.agentHome}. It goes on, and this hub has no local agent until it has ended.`,
    },
    say,
  })
}
