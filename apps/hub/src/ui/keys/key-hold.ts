'use client'
/**
 * From the key press that opens a dialog until the dialog has the focus, nobody else hears a key: neither the page's
 * shortcuts nor the button that had the focus. What was typed goes into the dialog's field as soon as that is focused.
 *
 *     nobody --holdKeys--> loading --arrived--> waiting for the focus --focus--> nobody
 *                             |--Escape--> nobody        |--no dialog came--> nobody
 */
import { type HeldKeys, holdKey, nothingHeld } from './held-keys'

interface Hold {
  cancel: () => void
  keys: HeldKeys
  /** Dialogs that were open before, and the box that says what is loading. */
  before: Element[]
  arrived: boolean
}

/** A dialog that says by this attribute that its field is still to come: keys are kept until then. */
export const fieldFollows = 'data-field-follows'

const dialogs = '[role=dialog], [role=alertdialog]'
const listeners = { keydown: onKeyDown, keyup: onKeyUp, beforeinput: onBeforeInput, focusin: onFocusIn } as const

let hold: Hold | null = null

export function keysAreHeld(): boolean {
  return hold !== null
}

/** Takes the keyboard, or keeps it for the next dialog. The answer is called when the dialog's code is there, or given up. */
export function holdKeys(cancel: () => void): () => void {
  if (!hold) for (const [name, listener] of entries()) addEventListener(name, listener, { capture: true })
  const mine: Hold = { cancel, keys: hold?.keys ?? nothingHeld, before: [...openDialogs()], arrived: false }
  hold = mine
  return () => {
    mine.arrived = true
    // By then a dialog that came is in the page.
    setTimeout(() => {
      if (hold === mine && !newDialog(mine)) release()
    })
  }
}

/** Called when a field that was announced has come, or will not come. */
export function fieldHasCome(): void {
  setTimeout(() => {
    if (hold?.arrived && hasSettled(hold)) release()
  })
}

function release(): void {
  if (!hold) return
  for (const [name, listener] of entries()) removeEventListener(name, listener, { capture: true })
  const { keys } = hold
  const field = document.activeElement
  const writes = hold.arrived && isField(field) && newDialog(hold)?.contains(field)
  hold = null
  // After the library has selected what stands in the field, so that the letters replace it as they would if typed now.
  if (writes && keys.text !== '') {
    queueMicrotask(() => {
      if (document.activeElement === field) document.execCommand('insertText', false, keys.text)
    })
  }
}

function onKeyDown(event: KeyboardEvent): void {
  if (!hold) return
  if (hold.arrived && (!newDialog(hold) || hasSettled(hold))) {
    release()
    return
  }
  // The dialog is there, and closes itself.
  if (hold.arrived && event.key === 'Escape') return
  const alone = event.getModifierState('AltGraph') || !(event.ctrlKey || event.metaKey || event.altKey)
  const step = holdKey(hold.keys, { key: event.key, chord: !alone })
  hold.keys = step.held
  event.stopImmediatePropagation()
  if (step.does !== 'pass') event.preventDefault()
  if (step.does !== 'cancel') return
  const { cancel } = hold
  release()
  cancel()
}

/** A button acts when the space bar is let go. */
function onKeyUp(event: KeyboardEvent): void {
  event.stopImmediatePropagation()
  event.preventDefault()
}

/** Pasted, cut and undone text would go into the field that had the focus. */
function onBeforeInput(event: Event): void {
  event.stopImmediatePropagation()
  event.preventDefault()
}

function onFocusIn(): void {
  if (hold?.arrived && hasSettled(hold)) release()
}

/** The focus is in the dialog that was waited for, and in a field if one is to come. */
function hasSettled(waiting: Hold): boolean {
  const dialog = newDialog(waiting)
  const focused = document.activeElement
  if (!dialog?.contains(focused)) return false
  return isField(focused) || dialog.querySelector(`[${fieldFollows}]`) === null
}

const newDialog = ({ before }: Hold) => [...openDialogs()].find((dialog) => !before.includes(dialog))
const openDialogs = () => document.querySelectorAll(dialogs)
const entries = () => Object.entries(listeners) as Array<[string, (event: Event) => void]>

function isField(element: Element | null): boolean {
  return element !== null && /^(INPUT|TEXTAREA)$/.test(element.tagName)
}
