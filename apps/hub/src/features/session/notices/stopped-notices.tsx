import type { SessionView, TreeStopReason } from '@roundhouse/backend-types'
import { NoticeLine } from './notice-line'

const treeWhy: Readonly<Record<TreeStopReason, string>> = {
  person: 'a person ended them',
  rights: 'the person who allowed them lost the right to one of them',
  budget: 'they have cost their budget',
  deleted: 'the session at the root was deleted',
}

/** Says that the whole tree was ended, and which part of the session the hub cannot store or read. */
export function StoppedNotices({ view }: { view: SessionView }) {
  return (
    <>
      {view.treeStopped ? (
        <NoticeLine tone="quiet" testId="tree-stopped">
          All sessions of this tree were ended: {treeWhy[view.treeStopped.why]}.
        </NoticeLine>
      ) : null}
      {view.blocked ? (
        <NoticeLine tone="failed">
          The hub could not read what {view.agentName} sent for this session, and accepts no more of it. Update
          roundhouse-agent on that machine and restart it.
        </NoticeLine>
      ) : null}
      {view.damaged ? (
        <NoticeLine tone="failed" testId="damaged-notice">
          The hub’s file is damaged where parts of this session are stored. What can be read is here; a backup of the
          hub may have the rest.
        </NoticeLine>
      ) : view.settings.backend === '' ? (
        <NoticeLine tone="quiet" testId="unknown-settings">
          The beginning of this session is lost: neither this hub nor {view.agentName} has it, so its program and its
          folder are not shown here. Your prompts still reach it.
        </NoticeLine>
      ) : null}
    </>
  )
}
