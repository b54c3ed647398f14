/** The `on...` members of the adapter contract, each of them a kind of report. */
import type { BackendAdapter, BackendProcess } from '@roundhouse/backend-types'
import type { Relay } from './relay'

type Listeners = Required<Pick<BackendAdapter, Extract<keyof BackendAdapter, `on${string}`>>>

export function listeners(relayOf: (process: BackendProcess) => Relay): Listeners {
  return {
    onSessionStarted: (process, handler) => relayOf(process).on('session', ({ info }) => handler(info)),
    onOutput: (process, handler) => relayOf(process).on('output', ({ output }) => handler(output)),
    onLive: (process, handler) => relayOf(process).on('live', ({ delta }) => handler(delta)),
    onPermissionRequest: (process, handler) => relayOf(process).on('ask', ({ request }) => handler(request)),
    onPermissionWithdrawn: (process, handler) => relayOf(process).on('withdrawn', ({ callId }) => handler(callId)),
    onModeChanged: (process, handler) => relayOf(process).on('mode', ({ mode }) => handler(mode)),
    onSettingsChanged: (process, handler) => relayOf(process).on('settings', ({ change }) => handler(change)),
    onCommands: (process, handler) => relayOf(process).on('commands', ({ commands }) => handler(commands)),
    onTurnStarted: (process, handler) => relayOf(process).on('turn_started', () => handler()),
    onBackground: (process, handler) => relayOf(process).on('background', ({ running }) => handler(running)),
    onTurnComplete: (process, handler) => relayOf(process).on('turn_completed', ({ info }) => handler(info)),
    onTokenBudgetWarning: (process, handler) => relayOf(process).on('budget', ({ warning }) => handler(warning)),
    onError: (process, handler) => relayOf(process).on('error', ({ error }) => handler(error)),
    onExit: (process, handler) => relayOf(process).on('exit', ({ code, info }) => handler(code, info)),
  }
}
