// SPDX-License-Identifier: GPL-3.0-or-later
// The only door to QCustomPlot. Its 2.1 header uses the bare Qt words and Qt's foreach, so both are lent to it for the
// length of the include when the project forbids them, and taken back afterwards.
#pragma once

#include <QtGlobal>
#include <utility>

#ifdef QT_NO_KEYWORDS
#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit Q_EMIT
#endif
#ifndef foreach
#define OCTET_LENT_FOREACH
#define foreach(variable, container) for (variable : std::as_const(container))
#endif

#include <qcustomplot.h>

#ifdef OCTET_LENT_FOREACH
#undef foreach
#undef OCTET_LENT_FOREACH
#endif
#ifdef QT_NO_KEYWORDS
#undef signals
#undef slots
#undef emit
#endif
