'use client'
import { Dialog } from '../../ui/overlays/dialog'
import type { ShellAction } from './shell-actions'

/** The items that a phone shows in a sheet, and other devices in the rail. */
export function MoreSheet({ actions, onClose }: { actions: readonly ShellAction[]; onClose: () => void }) {
  return (
    <Dialog open onOpenChange={onClose} title="More">
      <ul className="-mx-2">
        {actions.map(({ label, icon: Icon, act }) => (
          <li key={label}>
            <button
              type="button"
              onClick={() => {
                onClose()
                act()
              }}
              className="flex w-full items-center gap-3 rounded-md px-2 py-3 text-left hover:bg-sunken"
            >
              <Icon className="size-4 text-ink-3" aria-hidden />
              {label}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
