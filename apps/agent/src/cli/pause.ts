/** `pause` and `resume`: the owner's kill switch. A running daemon sees it at the next verb, without a restart. */
import type { AgentHome, PolicyFiles } from '../files/agent-home'
import { PauseSwitch } from '../policy/pause'
import { type StopPrograms, saidOfStop, stopSessions } from './stop-sessions'

/** `programs`: where they are given, what runs ends as well. `left`: processes that could not be ended. */
export async function pause(home: AgentHome, programs: StopPrograms | null): Promise<{ text: string; left: number }> {
  const done = new PauseSwitch(home.pauseFile).pause()
  const said = done ? 'Paused: this machine accepts nothing from the hub.' : 'This machine was already paused.'
  if (programs === null)
    return { text: `${said} Running turns continue to their end. To end them too: pause --stop`, left: 0 }
  const stopped = await stopSessions(home, programs)
  return { text: `${said} Sessions ended: ${saidOfStop(stopped)}`, left: stopped.left }
}

export function resume(home: PolicyFiles): string {
  if (!new PauseSwitch(home.pauseFile).resume()) return 'This machine was not paused.'
  return 'This machine accepts requests from the hub again. A person must release waiting prompts in their queues.'
}
