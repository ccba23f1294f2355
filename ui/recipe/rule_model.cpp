// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/rule_model.h"

#include <algorithm>

#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

bool isGemm(int column) {
    return column >= RuleModel::Fprop && column <= RuleModel::Wgrad;
}

size_t gemmOf(int column) {
    return static_cast<size_t>(column - RuleModel::Fprop);
}

/// @return false when the cell takes no such value
bool change(recipe::LayerRule& rule, int column, const QVariant& value, int role) {
    const bool isCheck = role == Qt::CheckStateRole;
    const bool on = value.toInt() == Qt::Checked;
    if (isCheck && column == RuleModel::Keep)
        rule.keep = on;
    else if (isCheck && isGemm(column))
        rule.high[gemmOf(column)] = on;
    else if (role == Qt::EditRole && column == RuleModel::Match)
        rule.match = value.toString().trimmed().toStdString();
    else if (role == Qt::EditRole && column == RuleModel::Why)
        rule.why = value.toString().trimmed().toStdString();
    else
        return false;
    return true;
}

}  // namespace

RuleModel::RuleModel(RecipeDocument* document, QObject* parent)
    : QAbstractTableModel(parent), m_document(document), m_rules(document->recipe().layers.rules) {
    connect(document, &RecipeDocument::rulesChanged, this, &RuleModel::takeRules);
    connect(document, &RecipeDocument::replaced, this, &RuleModel::takeRules);
}

void RuleModel::takeRules() {
    const Rules& now = m_document->recipe().layers.rules;
    const int before = rowCount(), after = static_cast<int>(now.size());
    const auto differs = std::ranges::mismatch(m_rules, now).in1;
    const int at = std::min({static_cast<int>(differs - m_rules.begin()), before, after});
    if (after > before) beginInsertRows({}, at, at + after - before - 1);
    if (after < before) beginRemoveRows({}, at, at + before - after - 1);
    m_rules = now;
    m_outlook.resize(m_rules.size());
    if (after > before) endInsertRows();
    if (after < before) endRemoveRows();
    if (at < after) emit dataChanged(index(at, 0), index(after - 1, ColumnCount - 1));
}

void RuleModel::setOutlook(const std::vector<RuleOutlook>& outlook) {
    m_outlook = outlook;
    m_outlook.resize(m_rules.size());
    if (!m_rules.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int RuleModel::addRule(const recipe::LayerRule& rule) {
    Rules rules = m_rules;
    rules.push_back(rule);
    m_document->setRules(rules, tr("add a rule for %1").arg(QString::fromStdString(rule.match)));
    return rowCount() - 1;
}

void RuleModel::removeRule(int row) {
    if (row < 0 || row >= rowCount()) return;
    const auto at = static_cast<size_t>(row);
    const QString match = QString::fromStdString(m_rules[at].match);
    m_document->setRules(withoutRule(m_rules, at), tr("remove the rule for %1").arg(match));
}

void RuleModel::moveRule(int row, int to) {
    if (row < 0 || to < 0 || row >= rowCount() || to >= rowCount()) return;
    const QString match = QString::fromStdString(m_rules[static_cast<size_t>(row)].match);
    m_document->setRules(withMoved(m_rules, static_cast<size_t>(row), static_cast<size_t>(to)),
                         tr("move the rule for %1").arg(match));
}

int RuleModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rules.size());
}

int RuleModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString RuleModel::metText(size_t row) const {
    if (row >= m_outlook.size()) return {};
    const RuleOutlook& met = m_outlook[row];
    if (!met.problem.isEmpty()) return tr("no pattern");
    if (met.decided == met.hits) return QString::number(met.hits);
    return tr("%1 of %2").arg(met.decided).arg(met.hits);
}

QVariant RuleModel::text(size_t row, int column) const {
    const recipe::LayerRule& rule = m_rules[row];
    switch (column) {
        case Match:
            return QString::fromStdString(rule.match);
        case Met:
            return metText(row);
        case Why:
            return QString::fromStdString(rule.why);
        default:
            return {};
    }
}

QVariant RuleModel::checked(const recipe::LayerRule& rule, int column) const {
    if (column == Keep) return rule.keep ? Qt::Checked : Qt::Unchecked;
    if (isGemm(column)) return rule.keep || rule.high[gemmOf(column)] ? Qt::Checked : Qt::Unchecked;
    return {};
}

QVariant RuleModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const auto row = static_cast<size_t>(index.row());
    const int column = index.column();
    const QString problem = row < m_outlook.size() ? m_outlook[row].problem : QString();
    const bool isWrong = !problem.isEmpty() && (column == Match || column == Met);
    switch (role) {
        case Qt::DisplayRole:
        case Qt::EditRole:
            return text(row, column);
        case Qt::CheckStateRole:
            return checked(m_rules[row], column);
        case Qt::ToolTipRole:
            if (isWrong) return problem;
            return column == Met ? tr("Layers that this rule decides, of those that its pattern matches")
                                 : headerData(column, Qt::Horizontal, Qt::ToolTipRole);
        case Qt::FontRole:
            return column == Match || column == Met ? QVariant(numberFont()) : QVariant();
        case IsWrongRole:
            return isWrong;
        default:
            return {};
    }
}

bool RuleModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return false;
    Rules rules = m_rules;
    recipe::LayerRule& rule = rules[static_cast<size_t>(index.row())];
    if (!change(rule, index.column(), value, role)) return false;
    const int mergeKey = index.row() * ColumnCount + index.column();
    m_document->setRules(rules, tr("change rule %1").arg(index.row() + 1), mergeKey);
    return true;
}

Qt::ItemFlags RuleModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (!index.isValid()) return flags;
    const int column = index.column();
    if (column == Match || column == Why) flags |= Qt::ItemIsEditable;
    if (column == Keep) flags |= Qt::ItemIsUserCheckable;
    if (isGemm(column)) {
        const bool kept = m_rules[static_cast<size_t>(index.row())].keep;
        if (kept) flags &= ~Qt::ItemIsEnabled;
        flags |= Qt::ItemIsUserCheckable;
    }
    return flags;
}

QVariant RuleModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)  // the order
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::AlignVCenter | Qt::AlignLeft);
    static constexpr std::pair<const char*, const char*> words[] = {
        {QT_TR_NOOP("match"), QT_TR_NOOP("A pattern with * and ?, or re: and a regular expression")},
        {QT_TR_NOOP("keep"), QT_TR_NOOP("Keeps the whole layer in high precision")},
        {QT_TR_NOOP("fprop"), QT_TR_NOOP("Keeps fprop in high precision")},
        {QT_TR_NOOP("dgrad"), QT_TR_NOOP("Keeps dgrad in high precision")},
        {QT_TR_NOOP("wgrad"), QT_TR_NOOP("Keeps wgrad in high precision")},
        {QT_TR_NOOP("layers"), QT_TR_NOOP("Layers that the rule decides, of those that it matches")},
        {QT_TR_NOOP("why"), QT_TR_NOOP("A note, shown as the layer's reason")},
    };
    if (section < 0 || section >= ColumnCount) return {};
    if (role == Qt::DisplayRole) return tr(words[section].first);
    if (role == Qt::ToolTipRole) return tr(words[section].second);
    return {};
}

}  // namespace octet::ui
