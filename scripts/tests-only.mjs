// node scripts/tests-only.mjs: lists what tests call and the product never does, and fails on what has no reason here.
import { readdirSync } from 'node:fs'
import { inRoot, root } from './lib/common/paths.mjs'
import { findTestsOnly } from './lib/house/tests-only.mjs'

/** One member, or all of a class. Each with the reason why it is no dead code, and no clock that nobody winds. */
const allowed = {
  'apps/hub/src/gateway/index.ts Gateway.sendHeads': 'a timer of the gateway calls the same function',
  'apps/hub/src/gateway/index.ts Gateway.sweepLogins': 'a timer of the gateway calls the same function',
  'packages/backend-types/src/adapter/adapter.ts BackendAdapter.listSessions':
    'imports are not built yet (docs/protocol.md)',
  'packages/delivery/src/link/link-state.ts LinkState.isDrained': 'the simulator asks whether all is at rest',
  'packages/hub-client/src/node-login.ts signIn': 'for programs that use the client',
  'packages/hub-client/src/rest.ts HubRest': 'for programs that use the client: it has every route',
  'packages/hub-client/src/session-watch.ts SessionWatch.older': 'for programs that use the client',
  'packages/runtime/src/contract/errors.ts findProvider': 'for programs that embed a provider',
  'packages/runtime/src/contract/errors.ts isProviderError': 'for programs that embed a provider',
  'packages/runtime/src/contract/event.ts marshalEvent': 'for programs that embed a provider',
  'packages/runtime/src/contract/event.ts unmarshalEvent': 'for programs that embed a provider',
  'packages/runtime/src/contract/provider.ts Handle': 'for programs that embed a provider',
  'packages/runtime/src/contract/provider.ts Provider': 'for programs that embed a provider',
  'packages/runtime/src/execute/channel-bridge.ts ChannelBridge.handle': 'for programs that embed a runtime',
  'packages/runtime/src/view/create-provider.ts createProvider': 'for programs that embed a provider',
  'packages/runtime/src/view/result-of.ts resultOf': 'for programs that embed a provider',
}

const foldersIn = (folder) => readdirSync(inRoot(folder)).map((name) => `${folder}/${name}`)
const projects = [...foldersIn('apps'), ...foldersIn('packages'), 'e2e']

const isTest = (file) =>
  /\.(test|spec|suite|test-support)\.tsx?$/.test(file) ||
  /\/src\/(testing|fixtures|simulator|suite)\//.test(file) ||
  /\/(e2e|bench|adapter-testkit|bot-api-testkit)\//.test(file)

function partOf(file) {
  if (/\.d\.ts$|\/(generated|\.next)\//.test(file)) return null
  if (isTest(file)) return 'test'
  return file.includes('/src/') ? 'product' : null
}

const found = findTestsOnly({ root, projects, partOf })
const entriesOf = ({ file, name }) => [`${file} ${name}`, `${file} ${name.split('.')[0]}`]
const needed = new Set(found.flatMap(entriesOf))
const faults = [
  ...found
    .filter((one) => !entriesOf(one).some((entry) => entry in allowed))
    .map(({ file, name, test }) => `${file}: ${name} is called by tests alone (${test})`),
  ...Object.keys(allowed)
    .filter((entry) => !needed.has(entry))
    .map((entry) => `scripts/tests-only.mjs allows ${entry}, which needs it no more`),
]
console.log(faults.length === 0 ? 'the product calls what its tests call' : faults.join('\n'))
process.exitCode = faults.length === 0 ? 0 : 1
