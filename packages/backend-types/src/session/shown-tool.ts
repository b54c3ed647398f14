/**
 * How a call and its permission request are displayed. Absent from earlier agents, and for tools that their adapter does not
 * know.
 */
import { InputShape } from '../adapter/input-shape'
import { ToolDisplay } from '../adapter/tool-display'

/** Words of a later agent that do not fit are left out: nothing but how a call looks hangs on them. */
export const shownTool = {
  display: ToolDisplay.optional().catch(undefined),
  shape: InputShape.optional().catch(undefined),
}
