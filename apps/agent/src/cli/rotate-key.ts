/** `rotate-key`: replaces the machine's key. A running agent uses the new key at once, with its next connection. */
import { changeKey } from '../daemon/home/change-key'
import { type AgentHome, requireWritableHome } from '../files/agent-home'
import { probeWrite } from '../files/write-durably'
import { fingerprintLines } from '../identity/fingerprint-lines'
import { postJson } from '../identity/hub-http'

export async function rotateKey(home: AgentHome): Promise<string> {
  requireWritableHome(home, probeWrite)
  const identity = await changeKey(postJson, home)
  return ['This machine has a new key. The old key is no longer valid.', ...fingerprintLines(identity)].join('\n')
}
