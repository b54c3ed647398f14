import type { SessionView } from '@roundhouse/backend-types'
import { useMay } from '../../../live/use-me'
import { MenuItem } from '../../../ui/overlays/menu'

interface TreeItemsProps {
  view: SessionView
  onAsk: (what: 'spawning' | 'tree') => void
}

/** Of a session that has not ended: the root decides whether its tree may grow, and each session ends the whole. */
export function TreeItems({ view, onAsk }: TreeItemsProps) {
  const mayControl = useMay('session.control')
  const isChild = view.rootId !== undefined
  if (!mayControl) return null
  return (
    <>
      {isChild || view.treeStopped ? null : (
        <MenuItem onSelect={() => onAsk('spawning')}>Sessions that it starts…</MenuItem>
      )}
      {isChild || view.spawning !== undefined ? (
        <MenuItem onSelect={() => onAsk('tree')}>End the whole tree…</MenuItem>
      ) : null}
    </>
  )
}
