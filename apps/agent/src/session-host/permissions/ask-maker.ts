/** Makes permission requests of this session from what its program asks, as the machine stands now. */
import { LATEST_MILLIS } from '@roundhouse/backend-types'
import type { AskedRequest } from '../program/shown-tool'
import { mayChange } from '../settings/judge-again'
import { type ActionNow, type AskSurroundings, makeAsk, type OpenAsk } from './ask'
import type { BrokerPorts } from './broker-ports'

type MakerPorts = Pick<
  BrokerPorts,
  'now' | 'newId' | 'turnId' | 'policy' | 'redact' | 'digestKey' | 'session' | 'folderRules'
>

export class AskMaker {
  constructor(private readonly ports: MakerPorts) {}

  make(procId: string, request: AskedRequest, looked?: ActionNow): OpenAsk {
    const askedAt = this.ports.now()
    const { askLifeMs } = this.ports.policy()
    const expiresAt = askLifeMs === undefined ? undefined : Math.min(LATEST_MILLIS, askedAt + askLifeMs)
    const ids = { requestId: this.ports.newId(), procId, turnId: this.ports.turnId() }
    return makeAsk(request, ids, { askedAt, expiresAt }, this.surroundings(), looked)
  }

  surroundings(): AskSurroundings {
    const { redact, digestKey: key } = this.ports
    const rules = this.ports.policy()
    const mayMode = (mode: string) => mayChange(rules, { mode })
    const [workDir, folders] = [this.ports.session.workDir(), this.ports.session.folders()]
    const offerRule: AskSurroundings['offerRule'] = (looked, scopes) =>
      this.ports.folderRules.offer(looked, scopes, (text) => redact(text).text)
    return { key, redact, roots: rules.roots, workDir, folders, rules, mayMode, offerRule }
  }
}
