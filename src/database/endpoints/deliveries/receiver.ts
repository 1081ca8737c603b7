/**
 * SQL that is true unless a claim would end the delivery immediately, for the same reasons as in `claim_in_lanes`: its
 * line is no longer connected to the application, or its endpoint was deleted.
 *
 * @param delivery the table `deliveries`, or its alias
 */
export function hasReceiver(delivery: string): string {
  return `(${delivery}.application_id is null
      or may_have_delivery(${delivery}.application_id, ${delivery}.line_id, ${delivery}.type))
    and coalesce((select r.removed_at is null or is_endpoint_named(r.id) from endpoints r
      where r.id = ${delivery}.endpoint_id limit 1), false)`
}

/**
 * SQL that is false for deliveries whose event retention has deleted with its month: there is nothing to send. An event of
 * the last minutes of a month may have deliveries of the next one, which are kept for longer.
 *
 * A subquery with a limit, and not `exists`: to find a few rows the planner would read all deliveries and events.
 *
 * @param delivery the table `deliveries`, or its alias
 */
export function hasEvent(delivery: string): string {
  return `coalesce((select true from events of_delivery where of_delivery.id = ${delivery}.event_id limit 1), false)`
}
