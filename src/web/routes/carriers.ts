import { postCarrierRemoval, showCarrier } from '../console/carriers/carrier.js'
import { postImport } from '../console/carriers/carrier/import.js'
import { postCarrier, showNewCarrier } from '../console/carriers/carrier/new.js'
import { postCarrierSetUp } from '../console/carriers/carrier/numbers.js'
import { postCarrierPause, postCarrierResume } from '../console/carriers/carrier/sending.js'
import { liveCarrier } from '../console/carriers/carrier/sessions.js'
import { postCarrierSettings } from '../console/carriers/carrier/settings.js'
import { postCarrierTest } from '../console/carriers/carrier/test.js'
import { liveCarriers, showCarriers } from '../console/carriers/carriers.js'
import { fresh } from '../console/people/confirm-first.js'
import type { Routes } from './kinds.js'

export function carrierPages({ operatorPage, operatorForm }: Routes): void {
  // oxfmt-ignore
  {
    operatorPage( '/console/carriers',                                                showCarriers)
    operatorPage( '/console/carriers/live',                                           liveCarriers)
    operatorPage( '/console/carriers/new',                                            showNewCarrier)
    operatorForm( '/console/carriers/new',                                            postCarrier, showNewCarrier, fresh)
    operatorPage( '/console/carriers/:accountId',                                     showCarrier)
    operatorPage( '/console/carriers/:accountId/live',                                liveCarrier)
    operatorForm( '/console/carriers/:accountId/settings',                            postCarrierSettings, showCarrier, fresh)
    operatorForm( '/console/carriers/:accountId/sending/pause',                       postCarrierPause, showCarrier)
    operatorForm( '/console/carriers/:accountId/sending/resume',                      postCarrierResume, showCarrier)
    operatorForm( '/console/carriers/:accountId/test',                                postCarrierTest, showCarrier)
    operatorForm( '/console/carriers/:accountId/import',                              postImport, showCarrier)
    operatorForm( '/console/carriers/:accountId/set-up',                              postCarrierSetUp, showCarrier)
    operatorForm( '/console/carriers/:accountId/remove',                              postCarrierRemoval, showCarrier)
  }
}
